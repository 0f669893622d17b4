package diff

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"airqa/qa"
)

// arguments returns the arguments of an action in a form in which equal ones are the same text.
func arguments(a *qa.Action) map[string]string {
	normal := make(map[string]string, len(a.Args))
	for name, v := range a.Args {
		normal[name] = argument(name, v)
	}
	return normal
}

// argument normalizes one argument. Whitespace does not matter in a query, neither does the layout of a statement.
func argument(name string, v any) string {
	text, ok := v.(string)
	switch {
	case ok && name == "sql":
		return normalSQL(text)
	case ok && name == "query":
		return strings.Join(strings.Fields(text), " ")
	}
	return string(appendValue(nil, v))
}

// appendValue writes a value. The type of a number does not matter (5 and 5.0), nor the order of a list of uuids.
func appendValue(to []byte, v any) []byte {
	switch x := v.(type) {
	case string:
		return strconv.AppendQuote(to, x)
	case bool:
		return strconv.AppendBool(to, x)
	case int64:
		return strconv.AppendInt(to, x, 10)
	case int:
		return strconv.AppendInt(to, int64(x), 10)
	case float64:
		return appendNumber(to, x)
	case []any:
		return appendList(to, x)
	case map[string]any:
		to = append(to, '{')
		for _, key := range slices.Sorted(maps.Keys(x)) {
			to = append(strconv.AppendQuote(to, key), ':')
			to = append(appendValue(to, x[key]), ' ')
		}
		return append(to, '}')
	}
	return append(to, "None"...)
}

// wholeUntil is the largest number up to which every integer is a float.
const wholeUntil = 1 << 53

func appendNumber(to []byte, x float64) []byte {
	if x == math.Trunc(x) && math.Abs(x) <= wholeUntil {
		return strconv.AppendInt(to, int64(x), 10)
	}
	return strconv.AppendFloat(to, x, 'g', -1, 64)
}

func appendList(to []byte, list []any) []byte {
	notID := func(v any) bool {
		text, ok := v.(string)
		return !ok || !qa.IsUUID(text)
	}
	if !slices.ContainsFunc(list, notID) {
		list = slices.Clone(list)
		slices.SortFunc(list, func(x, y any) int { return strings.Compare(x.(string), y.(string)) })
	}
	to = append(to, '[')
	for _, v := range list {
		to = append(appendValue(to, v), ' ')
	}
	return append(to, ']')
}

// keyOf returns the text by which actions are compared: the function and its normalized arguments.
func keyOf(a *qa.Action) string {
	normal := arguments(a)
	parts := []string{a.Name}
	for _, name := range slices.Sorted(maps.Keys(normal)) {
		parts = append(parts, name+"="+normal[name])
	}
	return strings.Join(parts, "\x00")
}

// otherArguments returns the names of the arguments in which two actions differ, sorted.
func otherArguments(a, b *qa.Action) []string {
	if a == nil || b == nil {
		return nil
	}
	x, y := arguments(a), arguments(b)
	var names []string
	for name := range x {
		if v, there := y[name]; !there || v != x[name] {
			names = append(names, name)
		}
	}
	for name := range y {
		if _, there := x[name]; !there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
