package dataset

import (
	"fmt"

	"airqa/qa"
)

// Companion is a companion benchmark as its files have it: documents, and items about them. Faults that do not stop it
// from loading are listed.
type Companion struct {
	// Name is that of the command line, such as "qasper".
	Name      string
	Documents []Document
	Items     []Item
	Faults    []*Fault
}

// Document is a paper, or an abstract, as an ordered list of units.
type Document struct {
	// ID is unique within the benchmark: the arXiv id, the title, the number of the abstract.
	ID, Title, Abstract string
	Units               []Unit
}

// Unit is a paragraph or a sentence that evidence can name.
type Unit struct {
	// ID is unique within the document: "p1", "p2" for paragraphs, "s1" for sentences, in order.
	ID      string
	Section string // path of headings; may be empty
	Text    string
}

// Item is an example about a document, with its gold. Solvers get the example only.
type Item struct {
	qa.Example
	// Document is the id of the document that the item is about; empty if it has a pool.
	Document string
	// Parts are the parts of the question that retrieval may use one by one: the aspects of a query.
	Parts []string
	Gold  Gold
}

// Gold is what an answer is compared with.
type Gold struct {
	// Answers has one for each annotator; none for rankings.
	Answers []GoldAnswer
	// Grades has the raw score of each document of the pool, in its order, and Top the highest possible score divided by 2.
	Grades []float64
	Top    float64
}

// GoldAnswer is the answer of one annotator.
type GoldAnswer struct {
	Text string
	// Type is the answer's type, if the benchmark has types.
	Type string
	// Evidence has texts as annotated, also for an unanswerable question; Units are the ids of units that they were
	// matched to.
	Evidence []string
	Units    []string
}

// Predictions calls read for each line of a file of predictions. read reports faults of the line; loaded means that the
// prediction counts nevertheless. It is an error if no line does.
func Predictions(path string, read func(raw []byte, fault func(id, text string, loaded bool))) (faults []*Fault, err error) {
	usable, lines := 0, 0
	for block, err := range LineBlocks("predictions", path) {
		if err != nil {
			return nil, err
		}
		for n, raw := range block.Records() {
			lines, usable = lines+1, usable+1
			read(raw, func(id, text string, loaded bool) {
				f := &Fault{File: path, Line: n, UUID: id, Text: text, Loaded: loaded}
				if !loaded {
					f.Costs = "prediction"
					usable--
				}
				faults = append(faults, f)
			})
		}
	}
	if lines > 0 && usable == 0 {
		return faults, fmt.Errorf("%s has no usable prediction; the first fault: %w", path, faults[0])
	}
	return faults, nil
}
