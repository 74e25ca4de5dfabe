package home

import (
	"context"
	"time"

	"countersign/models"
)

// TrendDays is how many days the charts look back.
const TrendDays = 56

// Day is what happened on one day, UTC.
type Day struct {
	Date     time.Time
	Repeats  int // second notifications and claims that were recognised
	Unknown  int // outcomes that nobody knew
	Decided  int // replay requests approved or rejected
	Minutes  int // from asking to those decisions, together
	Failures int // discrepancies opened
	Retested int // and closed by a retest
}

// RefreshFigures writes what happened on each of the last days anew, today
// included. A server that was away catches up from the last day written.
func RefreshFigures(ctx context.Context, db *models.DB, days int) error {
	return models.Classify(db.Query(ctx).Exec(`with since as (select least((now() at time zone 'UTC')::date - cast(@days as integer),
				coalesce((select max(day) from daily_figures), (now() at time zone 'UTC')::date - cast(@all as integer))) as day),
		found as (
			select c.day, case c.kind when 'repeat' then 'repeats' else 'unknown' end as kind, sum(c.n)::bigint as n from since s join counters c on c.day >= s.day and c.kind in ('repeat','unknown') group by 1, 2
			union all select (d.at at time zone 'UTC')::date, 'decided', count(*) from since s join decisions d on d.at >= s.day::timestamp at time zone 'UTC' and d.decision in ('approve','reject') group by 1
			union all select (d.at at time zone 'UTC')::date, 'minutes', sum(extract(epoch from d.at - r.asked_at) / 60)::bigint from since s
				join decisions d on d.at >= s.day::timestamp at time zone 'UTC' and d.decision in ('approve','reject') join requests r on r.id = d.request_id group by 1
			union all select (x.opened_at at time zone 'UTC')::date, 'failures', count(*) from since s join discrepancies x on x.opened_at >= s.day::timestamp at time zone 'UTC' group by 1
			union all select (x.closed_at at time zone 'UTC')::date, 'retested', count(*) from since s join discrepancies x on x.closed_at >= s.day::timestamp at time zone 'UTC' group by 1)
		insert into daily_figures (day, kind, n) select day, kind, n from found where n > 0
		on conflict (day, kind) do update set n = excluded.n where daily_figures.n <> excluded.n`, map[string]any{"days": days, "all": TrendDays}).Error)
}

// Trends are the last days, oldest first, today last.
func Trends(ctx context.Context, db *models.DB) ([]Day, error) {
	var rows []Day
	err := db.Query(ctx).Raw(`select d.day::date as date, coalesce(sum(n) filter (where kind = 'repeats'), 0) repeats, coalesce(sum(n) filter (where kind = 'unknown'), 0) unknown,
			coalesce(sum(n) filter (where kind = 'decided'), 0) decided, coalesce(sum(n) filter (where kind = 'minutes'), 0) minutes,
			coalesce(sum(n) filter (where kind = 'failures'), 0) failures, coalesce(sum(n) filter (where kind = 'retested'), 0) retested
		from generate_series((now() at time zone 'UTC')::date - cast(? as integer) + 1, (now() at time zone 'UTC')::date, '1 day') d(day)
		left join daily_figures f on f.day = d.day::date group by d.day order by d.day`, TrendDays).Scan(&rows).Error
	return rows, models.Classify(err)
}
