package workspace

import (
	"fmt"
)

// link is a foreign key as the schema has it.
type link struct{ Rel, Name, Definition string }

type trigger struct{ Rel, Name string }

// open takes the links off, which go round in circles, and switches off what
// adds rows after an insert.
func (l *loader) open() error {
	err := l.q.Raw(`select c.relname as rel, k.conname as name, pg_get_constraintdef(k.oid) as definition
		from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
		where k.contype = 'f' and n.nspname = current_schema() and c.relname in ? order by c.relname, k.conname`, Tables).Scan(&l.links).Error
	if err != nil {
		return err
	}
	for _, k := range l.links {
		if err := l.q.Exec(fmt.Sprintf("alter table %s drop constraint %s", quoted(k.Rel), quoted(k.Name))).Error; err != nil {
			return err
		}
	}
	return l.triggers("disable")
}

// triggers that fire on an insert: bit 2 of their type.
func (l *loader) triggers(do string) error {
	var all []trigger
	err := l.q.Raw(`select c.relname as rel, t.tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
		where not t.tgisinternal and t.tgtype & 4 <> 0 and n.nspname = current_schema() and c.relname in ?`, Tables).Scan(&all).Error
	for _, t := range all {
		if err == nil {
			err = l.q.Exec(fmt.Sprintf("alter table %s %s trigger %s", quoted(t.Rel), do, quoted(t.Name))).Error
		}
	}
	return err
}

// close puts the links back, each checked over every row.
func (l *loader) close() error {
	for _, k := range l.links {
		refused, err := l.try(fmt.Sprintf("alter table %s add constraint %s %s", quoted(k.Rel), quoted(k.Name), k.Definition))
		if err != nil {
			return err
		}
		if refused != "" && !l.full() {
			l.problem("%s: %s", k.Rel, refused)
		}
	}
	if len(l.problems) > 0 {
		return nil
	}
	if err := l.triggers("enable"); err != nil {
		return err
	}
	return l.number()
}

// number checks how far the numbers went. A sequence behind its rows would give
// a number twice.
func (l *loader) number() error {
	var err error
	if l.numbers, err = sequences(l.q); err != nil {
		return err
	}
	if len(l.numbers) != len(l.end.Sequences) {
		l.problem("The last line says how far the numbers of %d tables went; there are %d.", len(l.end.Sequences), len(l.numbers))
	}
	for _, n := range l.numbers {
		last, ok := l.end.Sequences[n.Rel]
		var most int64
		if err := l.q.Raw(fmt.Sprintf("select coalesce(max(%s), 0) from %s", quoted(n.Name), quoted(n.Rel))).Row().Scan(&most); err != nil {
			return err
		}
		if !ok || last < most {
			l.problem("The last line says that %s went to number %d, and there is a number %d.", n.Rel, last, most)
		}
	}
	return nil
}

// goOn lets the numbers go on where they were. It comes last: PostgreSQL does not
// take it back with the transaction.
func (l *loader) goOn() error {
	for _, n := range l.numbers {
		last := l.end.Sequences[n.Rel]
		if err := l.q.Exec("select setval(pg_get_serial_sequence(?, ?), ?, ?)", n.Rel, n.Name, max(last, 1), last > 0).Error; err != nil {
			return err
		}
	}
	return nil
}
