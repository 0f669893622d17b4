package candidate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/agent/action"
	"airqa/internal/lazyregexp"
)

// FieldsVersion is the version of the rules of [Fields]. It changes when a reply is read differently, so that kept replies are
// read again.
const FieldsVersion = 1

// fieldLabel matches a label at the start of a line: "[Question]:", "**Question**:", "question:".
var fieldLabel = lazyregexp.New(`(?m)^[ \t]*(?:[#>*_-]+[ \t]*)?[*_]*\[?([A-Za-z][A-Za-z _]*?)\]?[*_]*[ \t]*:[*_]*[ \t]*`)

// Fields reads the labelled fields of a reply, such as "[Question]: …": the values of the named ones in the last fenced
// block, or in the whole reply if it has no block. Case and emphasis of the labels do not matter. A field that is missing,
// empty or given twice is an error.
func Fields(text string, names ...string) (map[string]string, error) {
	block := action.LastBlock(text)
	var starts [][]int
	for _, m := range fieldLabel.FindAllStringSubmatchIndex(block, -1) {
		if slices.Contains(names, fieldName(block[m[2]:m[3]])) {
			starts = append(starts, m)
		}
	}
	if len(starts) == 0 {
		return nil, errors.New("there is no block with the result between two lines of three backticks")
	}
	fields := make(map[string]string)
	for i, m := range starts {
		name, end := fieldName(block[m[2]:m[3]]), len(block)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("the field [%s] occurs twice", name)
		}
		fields[name] = strings.TrimSpace(block[m[1]:end])
	}
	for _, name := range names {
		if fields[name] == "" {
			return nil, fmt.Errorf("the field [%s] is missing or empty", name)
		}
	}
	return fields, nil
}

// OneLine returns a text with single spaces, as questions and answer formats are stored.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// fieldName writes a label like the names of the fields: "Answer Format" is "answer_format".
func fieldName(label string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(label), func(r rune) bool { return r == ' ' || r == '_' }), "_")
}
