package trace

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/fuzzy"
	"airqa/qa"
	"airqa/trace/cause"
)

// Filter selects rows. The names of its fields are those of the flags of `airqa trace` and of the parameters in the viewer's
// addresses. An empty field selects everything; several values of one field are alternatives.
type Filter struct {
	Status   []string `name:"status"`
	Tag      []string `name:"tag"`
	Function []string `name:"function"`
	Outcome  []string `name:"outcome"`
	Error    []string `name:"error"`
	LostAt   []string `name:"lost-at"`
	Cause    []string `name:"cause"`
	Grep     string   `name:"grep"`

	// Sort is one of [SortKeys], with a hyphen before it to sort downwards; empty keeps the order of the log.
	Sort string `name:"sort"`
	// Limit is the maximum number of rows; 0 means all.
	Limit int `name:"limit"`
}

// Field is a property of episodes that a [Filter] selects by.
type Field struct {
	// Name is that of the flag.
	Name string
	// Of returns the values of a row. An empty value means that it has none.
	Of func(*Row) []string
	// Chosen returns the values that a filter selects.
	Chosen func(Filter) []string
	// Values are all values in order; nil if any is possible.
	Values []string
}

// Fields returns the fields in the order of menus.
func Fields() []Field { return slices.Clone(filterFields) }

var filterFields = []Field{
	{"status", func(w *Row) []string { return []string{string(w.Status)} }, func(f Filter) []string { return f.Status }, texts(Statuses())},
	{"lost-at", func(w *Row) []string { return []string{string(w.LostAt)} }, func(f Filter) []string { return f.LostAt }, texts(cause.Levels())},
	{"cause", func(w *Row) []string { return []string{string(w.Cause)} }, func(f Filter) []string { return f.Cause }, texts(cause.Codes())},
	{"outcome", func(w *Row) []string { return []string{string(w.Outcome)} }, func(f Filter) []string { return f.Outcome }, nil},
	{"error", func(w *Row) []string { return w.Errors }, func(f Filter) []string { return f.Error }, slices.Concat(
		[]string{qa.ErrNoAction, qa.ErrUnknownAction, qa.ErrSyntax, qa.ErrParameter},
		texts([]MarkKind{MarkError, MarkEmpty, MarkRepeated, MarkReply}), texts(qa.FailureClasses()),
	)},
	{"tag", func(w *Row) []string { return w.Tags }, func(f Filter) []string { return f.Tag }, nil},
	{"function", func(w *Row) []string { return []string{w.Function} }, func(f Filter) []string { return f.Function }, nil},
}

// Check refuses a value that no row can have.
func (f Filter) Check() error {
	for name, values := range f.fields() {
		var allowed []string // nil for any value
		if i := slices.IndexFunc(filterFields, func(f Field) bool { return f.Name == name }); i >= 0 {
			allowed = filterFields[i].Values
		} else if name == "sort" {
			allowed = SortKeys()
		}
		for _, v := range values {
			if name == "sort" {
				v = strings.TrimPrefix(v, "-")
			}
			if allowed != nil && !slices.Contains(allowed, v) {
				return fmt.Errorf("--%s %s: must be one of %s", name, v, strings.Join(allowed, ", "))
			}
		}
	}
	return nil
}

// Empty reports whether the filter selects everything.
func (f Filter) Empty() bool {
	f.Sort, f.Limit = "", 0
	return len(f.Flags()) == 0
}

// Match reports whether a row is selected, apart from Grep.
func (f Filter) Match(w *Row) bool {
	for _, field := range filterFields {
		chosen := field.Chosen(f)
		if len(chosen) > 0 && !slices.ContainsFunc(field.Of(w), func(v string) bool { return slices.Contains(chosen, v) }) {
			return false
		}
	}
	return true
}

// rowsFor returns all rows, with causes if a filter or its order depends on them.
func (l *Library) rowsFor(ctx context.Context, f Filter) ([]Row, error) {
	rows, order := l.Rows(), strings.TrimPrefix(f.Sort, "-")
	if len(f.LostAt)+len(f.Cause) == 0 && order != "lost-at" && order != "cause" {
		return rows, nil
	}
	rows = slices.Clone(rows)
	return rows, l.Explain(ctx, rows)
}

// Select returns the rows of a library that match, sorted and limited, and the number of all that match. Those of a lazy
// library may be pending, unless the filter depends on causes.
func (l *Library) Select(ctx context.Context, f Filter) (rows []Row, total int, err error) {
	if err := f.Check(); err != nil {
		return nil, 0, err
	}
	var found map[Key]bool
	if f.Grep != "" {
		if found, err = l.having(ctx, f.Grep); err != nil {
			return nil, 0, err
		}
	}
	all, err := l.rowsFor(ctx, f)
	if err != nil {
		return nil, 0, err
	}
	if f.Empty() && f.Sort == "" {
		rows = slices.Clip(all)
	} else {
		for i := range all {
			if w := &all[i]; f.Match(w) && (f.Grep == "" || found[w.Key()]) {
				rows = append(rows, *w)
			}
		}
		f.sort(rows)
	}
	total = len(rows)
	if f.Limit > 0 {
		rows = rows[:min(f.Limit, total)]
	}
	return rows, total, nil
}

// Meant is a hint for a value of a filter that no row has and that is like one that some have; "" for none.
func (l *Library) Meant(f Filter) string {
	all := l.Rows()
	for _, field := range filterFields {
		known := make(map[string]bool)
		for i := range all {
			for _, v := range field.Of(&all[i]) {
				known[v] = true
			}
		}
		names := slices.Sorted(maps.Keys(known))
		for _, v := range field.Chosen(f) {
			if best := fuzzy.Nearest(v, names); !known[v] && best != "" {
				return fmt.Sprintf("no episode has the %s %s; did you mean %s?", field.Name, v, best)
			}
		}
	}
	return ""
}

// orders compare two rows by a key of [SortKeys].
var orders = map[string]func(a, b Row) int{
	"question": func(a, b Row) int { return strings.Compare(a.Question, b.Question) },
	"status":   func(a, b Row) int { return index(Statuses(), a.Status) - index(Statuses(), b.Status) },
	"score":    func(a, b Row) int { return cmp.Compare(number(a.Score), number(b.Score)) },
	"turns":    func(a, b Row) int { return a.Turns - b.Turns },
	"tokens":   func(a, b Row) int { return a.Tokens() - b.Tokens() },
	"cost":     func(a, b Row) int { return cmp.Compare(number(a.CostUSD), number(b.CostUSD)) },
	"seconds":  func(a, b Row) int { return cmp.Compare(a.Seconds, b.Seconds) },
	"lost-at":  func(a, b Row) int { return index(cause.Levels(), a.LostAt) - index(cause.Levels(), b.LostAt) },
	"cause":    func(a, b Row) int { return index(cause.Codes(), a.Cause) - index(cause.Codes(), b.Cause) },
	"started":  func(a, b Row) int { return a.Started.Compare(b.Started) },
}

// SortKeys returns the keys of --sort.
func SortKeys() []string {
	return []string{"question", "status", "score", "turns", "tokens", "cost", "seconds", "lost-at", "cause", "started"}
}

func (f Filter) sort(rows []Row) {
	key, down := strings.CutPrefix(f.Sort, "-")
	order, ok := orders[key]
	if !ok {
		return
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		if down {
			return order(b, a)
		}
		return order(a, b)
	})
}

// index is the place of a value in a list; values that are not in it come last.
func index[T comparable](list []T, v T) int {
	if i := slices.Index(list, v); i >= 0 {
		return i
	}
	return len(list)
}

// number is a value, or one below all others if there is none.
func number(x *float64) float64 {
	if x == nil {
		return -1
	}
	return *x
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out
}

// fields yields the values of the fields by the names of their flags, in order; an empty field has none.
func (f Filter) fields() func(yield func(string, []string) bool) {
	return func(yield func(string, []string) bool) {
		v := reflect.ValueOf(f)
		for i := range v.NumField() {
			var values []string
			switch x := v.Field(i).Interface().(type) {
			case []string:
				values = x
			case string:
				values = []string{x}
			case int:
				values = []string{strconv.Itoa(x)}
			}
			if v.Field(i).IsZero() {
				values = nil
			}
			if !yield(v.Type().Field(i).Tag.Get("name"), values) {
				return
			}
		}
	}
}

// Flags returns the filter as flags of `airqa trace`, such as "--status" and "wrong".
func (f Filter) Flags() []string {
	var flags []string
	for name, values := range f.fields() {
		for _, v := range values {
			flags = append(flags, "--"+name+"="+v)
		}
	}
	return flags
}

// Query returns the filter as parameters of an address.
func (f Filter) Query() url.Values {
	q := make(url.Values)
	for name, values := range f.fields() {
		for _, v := range values {
			q.Add(name, v)
		}
	}
	return q
}

// FilterOf reads a filter from the parameters of an address. Other parameters are ignored.
func FilterOf(q url.Values) (Filter, error) {
	var f Filter
	v := reflect.ValueOf(&f).Elem()
	for i := range v.NumField() {
		values := slices.DeleteFunc(slices.Clone(q[v.Type().Field(i).Tag.Get("name")]), func(s string) bool { return strings.TrimSpace(s) == "" })
		if len(values) == 0 {
			continue
		}
		switch field := v.Field(i); field.Interface().(type) {
		case []string:
			field.Set(reflect.ValueOf(values))
		case string:
			field.SetString(values[0])
		case int:
			n, err := strconv.Atoi(values[0])
			if err != nil || n < 0 {
				return f, fmt.Errorf("limit %q is not a number", values[0])
			}
			field.SetInt(int64(n))
		}
	}
	return f, f.Check()
}
