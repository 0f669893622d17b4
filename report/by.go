package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
)

// Part holds the questions with one value of the field [Options.By].
type Part struct {
	Value string `json:"value"`
	Tally
}

// noValue is the value of a missing or empty field.
const noValue = "(none)"

// parts breaks a run down by a field or a tag; nil if none is chosen.
func (o Options) parts(examples []qa.Example, questions []question) ([]Part, error) {
	if o.By == "" {
		return nil, nil
	}
	keys, err := keysOf(o.By, examples)
	if err != nil {
		return nil, err
	}
	values := make(map[string][]string)
	for _, ex := range examples {
		values[ex.UUID] = keys(ex)
	}
	list := tallies(o, questions, func(ex qa.Example) []string { return values[ex.UUID] },
		func(name string, t Tally) Part { return Part{name, t} })
	slices.SortStableFunc(list, func(a, b Part) int { // numbers by value and before words, missing values last
		x, errX := strconv.ParseFloat(a.Value, 64)
		y, errY := strconv.ParseFloat(b.Value, 64)
		rank := func(s string, err error) int {
			switch {
			case err == nil:
				return 0
			case s == noValue:
				return 2
			}
			return 1
		}
		return cmp.Or(cmp.Compare(rank(a.Value, errX), rank(b.Value, errY)), cmp.Compare(x, y))
	})
	return list, nil
}

// keysOf returns the values of a field or tag for a question: the number of papers for "papers", each element of a
// list, the true keys of an object, or whether it has the tag.
func keysOf(by string, examples []qa.Example) (func(qa.Example) []string, error) {
	switch by {
	case "papers":
		return func(ex qa.Example) []string { return []string{strconv.Itoa(len(ex.Papers()))} }, nil
	case "eval_func":
		return func(ex qa.Example) []string { return []string{ex.Evaluator.Func} }, nil
	}
	known, tags := map[string]bool{"papers": true, "eval_func": true}, make(map[string]bool)
	for _, ex := range examples {
		for name := range fields(ex) {
			known[name] = true
		}
		for _, tag := range ex.Tags {
			tags[tag] = true
		}
	}
	switch {
	case known[by]:
		return func(ex qa.Example) []string { return texts(fields(ex)[by]) }, nil
	case tags[by]:
		return func(ex qa.Example) []string {
			if ex.HasTag(by) {
				return []string{by}
			}
			return []string{"not " + by}
		}, nil
	}
	return nil, fmt.Errorf("break down by %q: no question has such a field or tag; fields: %s; tags: %s", by, listed(known), listed(tags))
}

func listed(names map[string]bool) string {
	return terminal.Line(strings.Join(slices.Sorted(maps.Keys(names)), ", "))
}

// fields returns the fields of a question as in its file.
func fields(ex qa.Example) map[string]json.RawMessage {
	all := make(map[string]json.RawMessage)
	raw, err := json.Marshal(ex)
	if err != nil || json.Unmarshal(raw, &all) != nil {
		return nil
	}
	delete(all, "extra")
	maps.Copy(all, ex.Extra)
	return all
}

// texts returns the distinct values of a field.
func texts(raw json.RawMessage) []string {
	var list []string
	var elements []json.RawMessage
	var object map[string]json.RawMessage
	switch {
	case json.Unmarshal(raw, &elements) == nil:
		for _, e := range elements {
			list = append(list, text(e))
		}
	case json.Unmarshal(raw, &object) == nil:
		for key, value := range object {
			if string(value) == "true" {
				list = append(list, key)
			}
		}
	default:
		list = append(list, text(raw))
	}
	list = slices.DeleteFunc(list, func(s string) bool { return s == "" })
	if len(list) == 0 {
		return []string{noValue}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// text is a JSON value without the quotes of a string; empty for null.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
