package web

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"airqa/trace"
	"airqa/trace/cause"
)

// tallies count rows by the name of a field.
type tallies map[string]*tally

// tally counts rows by the values of a field and by status.
type tally struct {
	field trace.Field
	count map[string]statusCount
}

type statusCount map[trace.Status]int

// tallyRows counts the values of all fields, on all cores.
func tallyRows(rows []trace.Row) tallies {
	list := make(tallies)
	var fields sync.WaitGroup
	for _, f := range trace.Fields() {
		t := &tally{f, make(map[string]statusCount)}
		list[f.Name] = t
		fields.Go(func() {
			for i := range rows {
				t.add(&rows[i])
			}
		})
	}
	fields.Wait()
	return list
}

func (t *tally) add(w *trace.Row) {
	for _, value := range t.field.Of(w) {
		if t.count[value] == nil {
			t.count[value] = make(statusCount)
		}
		t.count[value][w.Status]++
	}
}

// sum adds the counts.
func sum[K comparable](counts map[K]int) int {
	n := 0
	for _, v := range counts {
		n += v
	}
	return n
}

// values are the values with their counts, in the order of the field or by number.
func (t *tally) values() []count {
	var list []count
	for name, c := range t.count {
		if name != "" {
			list = append(list, count{Name: name, N: sum(c)})
		}
	}
	slices.SortFunc(list, func(a, b count) int {
		if t.field.Values != nil {
			return slices.Index(t.field.Values, a.Name) - slices.Index(t.field.Values, b.Name)
		}
		return cmp.Or(b.N-a.N, strings.Compare(a.Name, b.Name))
	})
	return list
}

// levels counts answers with a verdict by the level where their evidence was lost; "" are the right ones.
type levels map[cause.Level]int

func (t tallies) verdicts() levels {
	l := make(levels)
	for level, c := range t["lost-at"].count {
		l[""] += c[trace.Right]
		if n := c[trace.Wrong]; n > 0 && level != "" { // a pending answer has no level yet
			l[cause.Level(level)] += n
		}
	}
	return l
}
