// Package candidate defines the common types of question synthesis and its directory on disk, SYN. The types are a
// [Category] of questions, a candidate's [ID], the [Line] that a stage writes about it, and the closed lists of outcomes
// and reasons. The directory contains [Settings] in synth.json, the [Ledger] with one line per candidate and stage, and the
// accepted questions. Start from [OpenLedger] and [ReadHistory]. The replies of models are in the folder replies, which package
// llm/cache manages. docs/formats/synth.md describes the files.
//
// It also makes the prompts of the first stages and reads their replies; it calls no model. [Draw] chooses papers and elements.
// [Material.Request] asks for a question about them (paper, section 3.2 and appendix E.1), and [Material.Parse] reads the reply.
// [Draft.TrackRequest] asks for a way to score the question (section 3.3 and appendix E.2), and [ParseTracked] reads that reply.
// Questions for a paper are filled in by rule ([Draft.TrackRetrieval]), and so are merged ones ([MergeTracked]).
package candidate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"airqa/qa"
)

// Category is a kind of question with a quota of its own: a question type, and for some types the kind of element that
// the question is about.
type Category string

// Question types (paper, section 2.1).
const (
	Single        = "single"
	Comprehensive = "comprehensive"
	Retrieval     = "retrieval"
	Multiple      = "multiple"
)

// Kinds of elements.
const (
	Text     = "text"
	Sections = "sections" // two sections of one paper
	Table    = "table"
	Image    = "image"
	Formula  = "formula"
	Metadata = "metadata"
)

// Categories lists all categories in the order in which they are processed: multiple is last, because it merges accepted
// single questions.
func Categories() []Category {
	var list []Category
	for _, kind := range []string{Single, Comprehensive} {
		for _, element := range []string{Text, Sections, Table, Image, Formula, Metadata} {
			list = append(list, Category(kind+"-"+element))
		}
	}
	return append(list, Retrieval, Multiple)
}

// Type returns the question type.
func (c Category) Type() string {
	kind, _, _ := strings.Cut(string(c), "-")
	return kind
}

// Element returns the kind of element; empty for [Retrieval] and [Multiple].
func (c Category) Element() string {
	_, element, _ := strings.Cut(string(c), "-")
	return element
}

// Kind returns the kind of the elements: [Text] for sections, and for questions about papers.
func (c Category) Kind() string {
	if e := c.Element(); e != Sections && e != "" {
		return e
	}
	return Text
}

// ParseCategories parses names of categories, and question types, which stand for all their categories. It removes
// duplicates and returns the order of [Categories].
func ParseCategories(names []string) ([]Category, error) {
	chosen := make(map[Category]bool)
	for _, name := range names {
		name = strings.ToLower(strings.TrimSpace(name))
		known := false
		for _, c := range Categories() {
			if string(c) == name || c.Type() == name {
				chosen[c], known = true, true
			}
		}
		if !known {
			var all []string
			for _, c := range Categories() {
				all = append(all, string(c))
			}
			return nil, qa.Usagef("unknown category %q; the categories are %s", name, strings.Join(all, ", "))
		}
	}
	return slices.DeleteFunc(Categories(), func(c Category) bool { return !chosen[c] }), nil
}

// ID names a candidate: its category and its index, from 0. Paper and element of a candidate follow from the seed and its
// ID.
type ID struct {
	Category Category
	Index    int
}

// String returns the name, such as "single-table-12".
func (id ID) String() string { return fmt.Sprintf("%s-%d", id.Category, id.Index) }

// Compare orders candidates by category and index.
func Compare(a, b ID) int {
	all := Categories()
	return cmp.Or(cmp.Compare(slices.Index(all, a.Category), slices.Index(all, b.Category)), cmp.Compare(a.Index, b.Index))
}
