package qasper

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"airqa/bench"
	"airqa/qa"
	"airqa/qa/dataset"
)

// FloatEvidence begins evidence of QASPER that is a figure or a table: its caption follows.
const FloatEvidence = "FLOAT SELECTED: "

// The types of QASPER's answers, as its evaluator names them.
const (
	Extractive   = "extractive"
	Abstractive  = "abstractive"
	Boolean      = "boolean"
	Unanswerable = "none"
)

const huggingFace = "this is the Hugging Face form of QASPER (objects of parallel lists), which the official evaluator " +
	"cannot read; download qasper-train-dev-v0.3.tgz or qasper-test-and-evaluator-v0.3.tgz from allenai.org/data/qasper"

// Load reads splits in the official form (Dasigi et al. 2021), an object of papers by arXiv id: a file, the JSON files of a
// folder, or several of both with commas between them. Units "p1", "p2" are the paragraphs of all sections in order, empty ones
// included; "f1", "f2" follow for the captions of figures and tables. Of two questions with one id, the last is at the place of
// the first, as in the official evaluator. Paragraphs and answers are as released; what cannot be right is a fault.
func Load(path string, _ bench.Choice) (*bench.Dataset, error) {
	r, err := load(path)
	complete(&r.Dataset)
	return &r.Dataset, err
}

func load(path string) (*loader, error) {
	r := &loader{Dataset: bench.Dataset{Name: "qasper", Title: "QASPER"}, papers: make(map[string]string), seen: make(map[string]int)}
	var err error
	for _, r.path = range splitFiles(path) {
		if err = bench.EachMember(r.path, r.member); err != nil {
			break
		}
	}
	if errors.Is(err, bench.ErrBeginning) {
		err = fmt.Errorf("%w: an object of papers by arXiv id, as in qasper-dev-v0.3.json", err)
	}
	if err == nil && len(r.Items) == 0 {
		err = fmt.Errorf("read %s: no usable question in a .json file", path)
		if len(r.Faults) > 0 {
			err = fmt.Errorf("%w; the first fault: %s", err, r.Faults[0].Text)
		}
	}
	return r, err
}

// splitFiles returns the files of a path. The name of a file or a folder may have commas.
func splitFiles(path string) (list []string) {
	paths := strings.Split(path, ",")
	if _, err := os.Stat(path); err == nil {
		paths = []string{path}
	}
	for _, p := range paths {
		if info, err := os.Stat(p); err != nil || !info.IsDir() {
			list = append(list, p)
			continue
		}
		names, _ := fs.Glob(os.DirFS(p), "*.json") // a good pattern
		for _, name := range names {
			list = append(list, filepath.Join(p, name))
		}
	}
	return list
}

// member reads a paper.
func (r *loader) member(id string, dec *json.Decoder) error {
	if file, twice := r.papers[id]; twice {
		r.reporter("")("paper "+id+" is in "+file+", too; both are loaded", "")
	}
	r.papers[id] = r.path
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return err
	}
	if bench.Kind(raw) != "an object" && slices.Contains([]string{"id", "title", "abstract", "full_text", "qas", "features", "rows"}, id) {
		return errors.New(huggingFace)
	}
	paper := bench.NewObject(raw, "paper "+id+":", bench.APaper, r.reporter(""))
	switch {
	case bench.Kind(paper.Members["qas"]) == "an object", bench.Kind(paper.Members["full_text"]) == "an object":
		return errors.New(huggingFace)
	case !paper.Lost:
		r.add(id, paper)
	}
	return nil
}

type loader struct {
	bench.Dataset
	path   string            // the file being read
	papers map[string]string // file of each paper
	seen   map[string]int    // position of each question id
	stated []statement       // by item

	// units are the ids of the units of the paper being read, by text. Without captions, as in older files, evidence that is
	// a figure or a table cannot be compared.
	units    map[string]string
	captions bool
}

// statement is what the writer of a question stated. Query is nil in files without search queries.
type statement struct {
	NLP    string  `json:"nlp_background"`   // years of experience: zero, two, five or infinity
	Topic  string  `json:"topic_background"` // unfamiliar, familiar or research
	Read   string  `json:"paper_read"`       // no, somewhat or yes
	Query  *string `json:"search_query"`
	Writer string  `json:"question_writer"`
}

// reporter adds the faults of a question, or of a paper.
func (r *loader) reporter(uuid string) func(text, costs string) {
	return func(text, costs string) {
		r.Report(dataset.Fault{Place: dataset.Place{File: r.path, UUID: uuid}}, text, costs)
	}
}

// add adds a paper and its questions. What is faulty outside of the questions costs itself: an empty paragraph keeps the
// numbers of the others.
func (r *loader) add(id string, paper *bench.Object) {
	doc := bench.Document{ID: id, Title: bench.Member[string](paper, "title", ""), Abstract: bench.Member[string](paper, "abstract", "")}
	r.units, r.captions = make(map[string]string), bench.Kind(paper.Members["figures_and_tables"]) == "a list"
	unit := func(kind string, n int, section, text string) bench.Unit {
		u := bench.Unit{ID: fmt.Sprintf("%s%d", kind, n), Section: section, Text: text}
		if _, twice := r.units[text]; !twice {
			r.units[text] = u.ID
		}
		return u
	}
	for i, raw := range bench.List[json.RawMessage](paper, "full_text", bench.Costs{Places: true}) {
		section := bench.NewObject(raw, fmt.Sprintf("%s full_text[%d]", paper.At, i), "section", paper.Report)
		name := bench.Member[string](section, "section_name", "")
		for _, p := range bench.List[string](section, "paragraphs", bench.Costs{Places: true}) {
			doc.Units = append(doc.Units, unit("p", len(doc.Units)+1, name, p))
		}
	}
	for i, raw := range bench.List[json.RawMessage](paper, "figures_and_tables", bench.Costs{Places: true}) {
		float := bench.NewObject(raw, fmt.Sprintf("%s figures_and_tables[%d]", paper.At, i), "caption", paper.Report)
		doc.Units = append(doc.Units, unit("f", i+1, "", FloatEvidence+bench.Member[string](float, "caption", "")))
	}
	r.Documents = append(r.Documents, doc)
	for i, raw := range bench.List[json.RawMessage](paper, "qas", bench.Costs{List: bench.APaper}) {
		r.question(doc, fmt.Sprintf("%s qas[%d]", paper.At, i), raw)
	}
}

func (r *loader) question(doc bench.Document, at string, raw json.RawMessage) {
	var id struct {
		ID string `json:"question_id"`
		statement
	}
	_ = json.Unmarshal(raw, &id) // a wrong type is reported below, or is not stated
	question := bench.NewObject(raw, at, bench.AQuestion, r.reporter(id.ID))
	id.ID = bench.Member[string](question, "question_id", bench.AQuestion)
	text := bench.Member[string](question, "question", bench.AQuestion)
	it := bench.Item{Example: qa.Example{UUID: id.ID, Question: text, Kind: qa.WithEvidence}, Document: doc.ID}
	answers := bench.List[json.RawMessage](question, "answers", bench.Costs{List: bench.AQuestion})
	switch first, twice := r.seen[id.ID]; {
	case question.Lost:
		return
	case id.ID == "":
		question.Fault("question_id", " is missing", bench.AQuestion)
		return
	case twice:
		r.reporter(id.ID)(at+".question_id is also that of a question of paper "+r.Items[first].Document+"; the last one counts", bench.AQuestion)
	}
	for i, raw := range answers {
		if g, ok := r.annotation(id.ID, fmt.Sprintf("%s.answers[%d]", at, i), raw); ok {
			it.Gold.Answers = append(it.Gold.Answers, g)
			if !it.HasTag(g.Type) {
				it.Tags = append(it.Tags, g.Type)
			}
		}
	}
	if len(it.Gold.Answers) == 0 {
		question.Fault("answers", " has no usable annotation", bench.AQuestion)
		return
	}
	it.Gold.Text = strings.Join(bench.Distinct(qa.Map(it.Gold.Answers, func(a bench.GoldAnswer) string { return a.Text })), "; ")
	if first, twice := r.seen[id.ID]; twice {
		r.Items[first], r.stated[first] = it, id.statement
		return
	}
	r.seen[id.ID] = len(r.Items)
	r.Items, r.stated = append(r.Items, it), append(r.stated, id.statement)
}

// annotation reads the answer of an annotator. A fault costs the annotation.
func (r *loader) annotation(uuid, at string, raw json.RawMessage) (g bench.GoldAnswer, ok bool) {
	var id struct {
		ID string `json:"annotation_id"`
	}
	_ = json.Unmarshal(raw, &id) // it only names the annotation
	named := func(text, costs string) {
		if rest, here := strings.CutPrefix(text, at); here && id.ID != "" {
			text = at + " (annotation " + id.ID + ")" + rest
		}
		r.reporter(uuid)(text, costs)
	}
	outer := bench.NewObject(raw, at, bench.AnAnnotation, named)
	if outer.Lost {
		return g, false
	}
	o := bench.NewObject(outer.Members["answer"], at+".answer", bench.AnAnnotation, named)
	g.Text, g.Type = answer(o)
	g.Evidence = bench.List[string](o, "evidence", texts)
	if !o.Lost && g.Type == "" {
		o.Fault("", " has no content", bench.AnAnnotation)
	}
	if o.Lost {
		return g, false
	}
	for k, text := range g.Evidence {
		if id, known := r.units[text]; known {
			g.Units = append(g.Units, id)
		} else if r.captions || !strings.HasPrefix(text, FloatEvidence) {
			r.reporter(uuid)(fmt.Sprintf("%s.answer.evidence[%d] is not in the paper: no answer can name it", at, k), "")
		}
	}
	return g, true
}

// texts are the costs of a list of texts in an annotation.
var texts = bench.Costs{List: bench.AnAnnotation, Element: bench.AnAnnotation}

// answer reads the text that the official evaluator compares, and its type; an empty type for an answer without content.
func answer(o *bench.Object) (text, kind string) {
	unanswerable := bench.Member[bool](o, "unanswerable", bench.AnAnnotation)
	spans := bench.List[string](o, "extractive_spans", texts)
	yesNo := bench.Member[*bool](o, "yes_no", bench.AnAnnotation)
	freeForm := bench.Member[string](o, "free_form_answer", bench.AnAnnotation)
	switch {
	case unanswerable:
		return "Unanswerable", Unanswerable
	case len(spans) > 0:
		return strings.Join(spans, ", "), Extractive
	case freeForm != "":
		return freeForm, Abstractive
	case yesNo == nil:
		return "", ""
	case *yesNo:
		return "Yes", Boolean
	}
	return "No", Boolean
}
