package people

import (
	_ "embed"
	"strings"
	"time"
	_ "time/tzdata" // zones work on a machine that has no zone files

	"countersign/models"
)

//go:embed zones.txt
var zoneList string

// TimeZones lists the zones to choose from: UTC, then one name for each set of
// clocks that agreed since 1970.
func TimeZones() []string { return strings.Fields(zoneList) }

func checkTimeZone(c *models.Check, zone string) {
	if _, err := time.LoadLocation(zone); err != nil || zone == "" || zone == "Local" || len(zone) > 64 {
		c.Add("time_zone", "Choose a time zone from the list, such as Europe/Vienna.")
	}
}
