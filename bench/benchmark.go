// Package bench is airqa bench: companion benchmarks beside AirQA. It has what they share: data ([Dataset]), the reader of lenient
// JSON ([Object]), tables of results ([Result]), the numbers of their papers ([Paper]), scores of answers and tables of systems
// ([Scorers], [Benchmark.Compare]), the questions and papers of a run with a language model ([Questions], [Fill]), predictions
// ([Format]), and the agreement of raters: [ReadRatings] reads a table of ratings as people's programs write it, and [Agree]
// measures it with internal/stats.
//
// Each benchmark has a folder of its own, with its reader, metrics, baselines and tables, and is a [Benchmark] in the list
// of cmd/airqa: nothing else knows it. To add one, write such a folder and a line in that list.
package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"airqa/env/embed"
	"airqa/internal/terminal"
	"airqa/internal/words"
	"airqa/qa"
	"airqa/qa/dataset"
)

// Benchmark is a companion benchmark. A nil function is a command that it lacks.
type Benchmark struct {
	Name    string                                          `json:"name"`
	About   string                                          `json:"about"`
	Methods []Method                                        `json:"methods"`
	Load    func(path string, c Choice) (*Dataset, error)   `json:"-"`
	Stats   func(context.Context, Request) (*Result, error) `json:"-"`
	// Score computes the measures of an answer to an item, from 0 to 1, of which Headline is the score. match is the type
	// of the gold answer that the answer matches best; empty without types.
	Score    func(it Item, a qa.Answer, fixed bool) (measures map[string]float64, match string) `json:"-"`
	Headline string                                                                             `json:"-"`
	// Method makes the rows of a method: itself, and what belongs to it.
	Method func(ctx context.Context, data *Dataset, name string, r Request) ([]System, error) `json:"-"`
	// Measure adds measures to systems that a request asks for; nil if there are none.
	Measure func(ctx context.Context, systems []System, r Request) error `json:"-"`
	// Tables makes the tables of the benchmark's paper for some systems, with notes.
	Tables func(data *Dataset, systems []System, r Request) ([]Table, []string) `json:"-"`
	// Predictions is the benchmark's own format of answers.
	Predictions Format `json:"-"`
	// Ratings reads the scores of people, and of a model as the last rater, from a file of the benchmark, with the
	// annotations of a second file in place of the model's; nil if it has none.
	Ratings func(path, annotations string) (Ratings, error) `json:"-"`
	// ContextTokens is the default of --context-tokens in runs; 0 leaves it as it is.
	ContextTokens int `json:"-"`
}

// Method is a baseline without a language model. Benchmarks embed it in methods of their own, with what computes them.
type Method struct {
	Name  string `json:"name"`
	About string `json:"about"`
	// Beside methods are shown in the tables of a run. Slow ones are computed only by name.
	Beside bool `json:"-"`
	Slow   bool `json:"-"`
}

// About is a method with its description.
func About(name, about string) Method { return Method{Name: name, About: about} }

// Beside is a method that the tables of a run show, too.
func Beside(name, about string) Method { return Method{Name: name, About: about, Beside: true} }

func (m Method) method() Method { return m }

// methodLike is a type that embeds [Method].
type methodLike interface{ method() Method }

// Methods are the methods of a list without what computes them.
func Methods[M methodLike](list []M) []Method { return qa.Map(list, M.method) }

// FindMethod returns the method with a name. An error begins with unknown, and calls the methods all, such as "rankers".
func FindMethod[M methodLike](list []M, name, unknown, all string) (found M, err error) {
	var names []string
	for _, m := range list {
		if m.method().Name == name {
			return m, nil
		}
		names = append(names, m.method().Name)
	}
	return found, qa.Usagef("unknown %s; the %s are %s", fmt.Sprintf(unknown, name), all, strings.Join(names, ", "))
}

// Request is a call of one of a benchmark's functions.
type Request struct {
	// Dataset is a file or a folder.
	Dataset string
	Choice
	// Fixed corrects known flaws of the benchmark's own scripts.
	Fixed bool
	// Runs are directories of scored runs, Method is the name of a method; empty means all.
	Runs   []string
	Method string
	// BERTScore also compares messages by the vectors of their tokens (argscichat).
	BERTScore bool
	// Similarity is how texts are compared in statistics: tfidf or minilm.
	Similarity string
	// Bootstrap is the number of resamples for intervals, 0 for none.
	Bootstrap int
	Seed      uint64
	// Export is the file for the answers of the only run or method, in the benchmark's own format; empty for none.
	Export string
	// Pools builds candidate pools again and compares them with those of the benchmark. PoolsOut is the file that pools are written to.
	Pools    bool
	PoolsOut string
	// Embedder opens the model of sentence vectors; nil where no method needs it. Its vectors may have any length. Model is its
	// name in labels if the command names one, and slow methods then are among all methods.
	Embedder func() (embed.Embedder, error)
	Model    string
	// Notes are added to the result.
	Notes []string
	// Progress shows work that takes long; it may be nil.
	Progress *terminal.Progress
}

// Choice selects the items of a dataset and their gold, as flags of commands.
type Choice struct {
	Setting     string `placeholder:"NAME" help:"Task of doris-mae: query (the default), aspect, test, or subquery-2."`
	Annotations string `placeholder:"FILE" help:"Annotations from airqa bench annotate --export, used instead of the dataset's own (doris-mae)."`
	PoolsFrom   string `placeholder:"FILE" help:"Candidate pools from airqa bench stats --pools-out, used instead of the dataset's own (doris-mae)."`
}

// Dataset is a benchmark as its files have it: documents, and items about them. Faults that do not stop it from loading
// are listed.
type Dataset struct {
	// Name is the word on the command line, such as "qasper"; Title is the name for people, with the setting.
	Name, Title string
	Documents   []Document
	Items       []Item
	Faults      []*dataset.Fault
}

// What a fault can cost. Without a paper, or an item of a benchmark (question, turn, query), nothing of it is loaded.
const (
	APaper       = "paper"
	AQuestion    = "question"
	ATurn        = "turn"
	AQuery       = "query"
	AnAbstract   = "abstract"
	AnAnnotation = "annotation"
)

// Papers are the documents by id.
func (d *Dataset) Papers() map[string]Document {
	papers := make(map[string]Document, len(d.Documents))
	for _, p := range d.Documents {
		papers[p.ID] = p
	}
	return papers
}

// ByID are the items by id; the last of several.
func (d *Dataset) ByID() map[string]Item {
	items := make(map[string]Item, len(d.Items))
	for _, it := range d.Items {
		items[it.UUID] = it
	}
	return items
}

// Report adds a fault at a place, which has its file and item. Empty costs are nothing.
func (d *Dataset) Report(at dataset.Fault, text, costs string) {
	at.Text, at.Costs, at.Loaded = text, costs, !slices.Contains([]string{APaper, AQuestion, ATurn, AQuery}, costs)
	d.Faults = append(d.Faults, &at)
}

// Document is a paper, or an abstract, as an ordered list of units.
type Document struct {
	// ID is unique within the benchmark: the arXiv id, the title, the number of the abstract.
	ID, Title, Abstract string
	Units               []Unit
	// AbstractUnits is the number of units, from the first on, that are the abstract; 0 if there are none or it is not known.
	AbstractUnits int `json:",omitempty"`
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

// Gold is what an answer is compared with. As JSON, it is the arguments of the evaluator of a question.
type Gold struct {
	// Text is the gold answer for people.
	Text string `json:"gold"`
	// Answers has one for each annotator; none for rankings.
	Answers []GoldAnswer `json:"answers,omitempty"`
	// Texts has the texts of units by id, where an answer that names the unit is compared by its text.
	Texts map[string]string `json:"texts,omitempty"`
	// Grades has the raw score of each document of the pool, in its order, and Top the highest possible score divided by 2.
	// Fixed has those without faulty annotations, if they differ.
	Grades []float64 `json:"grades,omitempty"`
	Fixed  []float64 `json:"fixed,omitempty"`
	Top    float64   `json:"top,omitempty"`
	// Pool are the documents, and Rest is their order behind an incomplete ranking.
	Pool []string `json:"pool,omitempty"`
	Rest []string `json:"rest,omitempty"`
}

// GoldAnswer is the answer of one annotator.
type GoldAnswer struct {
	Text string `json:"text"`
	// Type is the answer's type, if the benchmark has types.
	Type string `json:"type,omitempty"`
	// Evidence has texts as annotated, also for an unanswerable question; Units are the ids of units that they were
	// matched to.
	Evidence []string `json:"evidence,omitempty"`
	Units    []string `json:"units,omitempty"`
}

// ModelRater is the name of the rater whose scores are the annotations of a benchmark.
const ModelRater = "model"

// Ratings are the values of raters: rows are units, columns raters; "" is a missing value.
type Ratings struct {
	Raters []string
	Units  [][]string
	// Names are different names of the units, which may describe them.
	Names []string
	// Notes describe how the file was read.
	Notes  []string
	Faults []*dataset.Fault
}

// Order returns the positions of scores, the highest first. Of equal scores the last is first, as in the benchmarks' own
// code, which reverses a stable ascending sort.
func Order(scores []float64) []int {
	list := make([]int, len(scores))
	for i := range list {
		list[i] = i
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), b-a) })
	return list
}

// Common counts the distinct texts of a that are in b.
func Common(a, b []string) (n int) {
	for _, s := range Distinct(a) {
		if slices.Contains(b, s) {
			n++
		}
	}
	return n
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

// Fit learns texts and returns the scores of a query to each of them. Higher is better.
type Fit func(texts []string) (scores func(query string) []float64)

// TFIDF scores by the cosine of TF-IDF vectors.
func TFIDF(o words.TFIDFOptions) Fit {
	return func(texts []string) func(string) []float64 { return words.FitTFIDF(texts, o).Scores }
}

// BM25 scores by BM25Okapi over tokens.
func BM25(tokens func(string) []string) Fit {
	return func(texts []string) func(string) []float64 {
		m := words.NewBM25(qa.Map(texts, tokens))
		return func(query string) []float64 { return m.Scores(tokens(query)) }
	}
}
