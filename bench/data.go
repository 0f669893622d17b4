package bench

import (
	"slices"

	"airqa/qa"
	"airqa/qa/dataset"
)

// Dataset is a benchmark as its files have it: documents, and items about them. Faults that do not stop it from loading
// are listed.
type Dataset struct {
	// Name is that of the command line, such as "qasper".
	Name      string
	Documents []Document
	Items     []Item
	Faults    []*dataset.Fault
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

// ModelRater is the name of the rater whose scores are the annotations of a benchmark.
const ModelRater = "model"

// Ratings are the values of raters: rows are units, columns raters; "" is a missing value.
type Ratings struct {
	Raters []string
	Units  [][]string
	// Notes describe how the file was read.
	Notes  []string
	Faults []*dataset.Fault
}

// Distinct keeps the first of equal texts.
func Distinct(list []string) []string {
	var kept []string
	for _, s := range list {
		if !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}
