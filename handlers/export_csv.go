package handlers

import (
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	"countersign/internal/safecsv"
	"countersign/models"
	"countersign/models/ledger"
	"countersign/models/matrix"

	"github.com/labstack/echo/v4"
)

const (
	auditCSVPath  = "/audit.csv"
	ledgerCSVPath = "/ledger.csv"
	matrixCSVPath = "/matrix.csv"
)

// csvLink is the address of the page's list as CSV, with the filter it has now.
func csvLink(c echo.Context, path string) string {
	q := url.Values{}
	for name, values := range c.QueryParams() {
		if name != "at" && name != "reviews" {
			q[name] = values
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// sendCSV streams a list, page after page, so that its length does not matter.
// The first page is read before anything is sent: what is wrong with the filter
// gives an error page.
func sendCSV[T any](s *Server, c echo.Context, name string, head []string, list func(at string) (models.Page[T], error), rows func(T) [][]string) error {
	page, err := list("")
	if err != nil {
		return err
	}
	file := fmt.Sprintf("%s-%s.csv", name, time.Now().UTC().Format(time.DateOnly))
	return s.sendFile(c, file, csvType, func(to io.Writer) error {
		out := safecsv.New(to)
		if err := out.Row(head...); err != nil {
			return err
		}
		for {
			for _, item := range page.Items {
				for _, row := range rows(item) {
					if err := out.Row(row...); err != nil {
						return err
					}
				}
			}
			if err := out.Flush(); err != nil || page.Next == "" {
				return err
			}
			if page, err = list(page.Next); err != nil {
				return err
			}
		}
	})
}

// auditCSV is GET /audit.csv, with the filter of the page.
func (s *Server) auditCSV(c echo.Context) error {
	var f auditForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	filter, err := f.filter()
	if err != nil {
		return err
	}
	head := []string{"id", "at", "person", "email", "stood_for", "action", "object_type", "object", "path", "refused", "reason", "before", "after", "request_id"}
	return sendCSV(s, c, "audit-log", head, func(at string) (models.Page[models.AuditEntry], error) {
		return models.ListAudit(s.ctx(c), s.DB, filter, at)
	}, func(e models.AuditEntry) [][]string {
		return [][]string{{id64(e.ID), utc(&e.At), e.PersonName, e.PersonEmail, e.ForName, e.Action, e.ObjectType, e.ObjectLabel, e.ObjectPath, strconv.FormatBool(e.Refused), e.Reason, e.Before, e.After, e.RequestID}}
	})
}

// ledgerCSV is GET /ledger.csv: the actions, or with show=deliveries the
// deliveries, with the filter of the page.
func (s *Server) ledgerCSV(c echo.Context) error {
	var f ledgerForm
	if err := c.Bind(&f); err != nil {
		return err
	}
	filter, err := f.filter()
	if err != nil {
		return err
	}
	at := func(cursor string) ledger.SearchFilter { filter.At = cursor; return filter }
	if f.Show == "deliveries" {
		head := []string{"delivery", "disposition", "event_id", "business_record_id", "version", "reason", "sender", "workflow", "environment", "first_delivery", "review", "received_at", "action"}
		return sendCSV(s, c, "deliveries", head, func(cursor string) (models.Page[ledger.DeliveryRow], error) {
			return ledger.SearchDeliveries(s.ctx(c), s.DB, at(cursor))
		}, func(r ledger.DeliveryRow) [][]string {
			return [][]string{{id64(r.ID), string(r.Disposition), r.Event, r.Record, r.Version, r.Reason, r.SenderSlug, r.WorkflowSlug, r.EnvSlug, id64(r.First), r.Review, utc(&r.ReceivedAt), id64(r.Action)}}
		})
	}
	head := []string{"action", "state", "workflow", "control", "environment", "business_record_id", "version", "destination_result_id", "attempts", "created_at", "changed_at", "identity_key", "duplicate", "repeat_of"}
	return sendCSV(s, c, "actions", head, func(cursor string) (models.Page[ledger.ActionRow], error) {
		return ledger.SearchActions(s.ctx(c), s.DB, at(cursor))
	}, func(r ledger.ActionRow) [][]string {
		return [][]string{{id64(r.ID), string(r.State), r.WorkflowSlug, r.ControlSlug, r.EnvSlug, r.Record, r.Version, r.ResultID, strconv.Itoa(r.Attempts), utc(&r.CreatedAt), utc(&r.ChangedAt), r.Key, r.Duplicate, id64(r.RepeatOf)}}
	})
}

// matrixCSV is GET /matrix.csv: one row for each scenario of each control that
// the page's filter shows.
func (s *Server) matrixCSV(c echo.Context) error {
	var f matrixFilter
	if err := c.Bind(&f); err != nil {
		return err
	}
	filter, err := f.grid()
	if err != nil {
		return err
	}
	head := []string{"control", "name", "workflow", "business_owner", "revision", "revision_state", "scenario", "title", "state", "failures", "run", "agreed_change", "waived_until", "proven_until"}
	return sendCSV(s, c, "test-matrix", head, func(cursor string) (models.Page[matrix.GridRow], error) {
		filter.Cursor = cursor
		return matrix.Grid(s.ctx(c), s.DB, filter)
	}, matrixRows)
}

func matrixRows(r matrix.GridRow) (rows [][]string) {
	for _, cell := range r.Cells {
		change := ""
		if cell.Change != nil {
			change = fmt.Sprint(*cell.Change)
		}
		rows = append(rows, []string{r.Slug, r.Name, r.WorkflowSlug, r.OwnerName, strconv.Itoa(r.LatestNumber), string(r.LatestState), cell.Key, cell.Title, string(cell.Shown),
			strconv.Itoa(cell.Failures), id64(cell.RunID), change, date(cell.WaivedUntil), date(cell.ProvenUntil)})
	}
	return rows
}

func id64(id int64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}

func utc(t *time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func date(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.DateOnly)
}
