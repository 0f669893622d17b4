package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/qa"
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

// huggingFace is the hint for files in the shape of the Hugging Face hub.
const huggingFace = "this is the Hugging Face form of QASPER (objects of parallel lists), which the official evaluator " +
	"cannot read; download qasper-train-dev-v0.3.tgz or qasper-test-and-evaluator-v0.3.tgz from allenai.org/data/qasper"

// hubFields are the members of a paper, or of a page of papers, as the hub has them.
var hubFields = []string{"id", "title", "abstract", "full_text", "qas", "features", "rows"}

// QASPER reads a split in the official form (Dasigi et al. 2021): an object of papers by arXiv id. Units "p1", "p2" are
// the paragraphs of all sections in order, empty ones included; with captions, "f1", "f2" follow for figures and tables.
// Questions with the id of an earlier one are in the list, too. Paragraphs and answers are as released; what cannot be
// right is a fault.
func QASPER(path string, captions bool) (Companion, error) {
	q := qasper{Companion: Companion{Name: "qasper"}, path: path, captions: captions, seen: make(map[string]string)}
	papers := make(map[string]bool)
	err := eachMember(path, func(id string, dec *json.Decoder) error {
		if papers[id] {
			q.fault("", "paper "+id+" is in the file twice; both are loaded", true)
		}
		papers[id] = true
		return q.decode(id, dec)
	})
	if errors.Is(err, errBeginning) {
		err = fmt.Errorf("%w: an object of papers by arXiv id, as in qasper-dev-v0.3.json", err)
	}
	if err == nil && len(q.Items) == 0 {
		err = fmt.Errorf("read %s: no usable question", path)
		if len(q.Faults) > 0 {
			err = fmt.Errorf("%w; the first fault: %s", err, q.Faults[0].Text)
		}
	}
	return q.Companion, err
}

type qasper struct {
	Companion
	path     string
	captions bool
	seen     map[string]string // paper of each question id
}

type qasperPaper struct {
	Title    string `json:"title"`
	Abstract string `json:"abstract"`
	FullText []struct {
		Section    string   `json:"section_name"`
		Paragraphs []string `json:"paragraphs"`
	} `json:"full_text"`
	Floats []struct {
		Caption string `json:"caption"`
	} `json:"figures_and_tables"`
	Questions []qasperQuestion `json:"qas"`
}

type qasperQuestion struct {
	Question string `json:"question"`
	ID       string `json:"question_id"`
	Answers  []struct {
		ID     string       `json:"annotation_id"`
		Answer qasperAnswer `json:"answer"`
	} `json:"answers"`
}

type qasperAnswer struct {
	Unanswerable bool     `json:"unanswerable"`
	Spans        []string `json:"extractive_spans"`
	YesNo        *bool    `json:"yes_no"`
	FreeForm     string   `json:"free_form_answer"`
	Evidence     []string `json:"evidence"`
}

func (q *qasper) fault(uuid, text string, loaded bool) {
	q.Faults = append(q.Faults, &Fault{File: q.path, UUID: uuid, Text: text, Loaded: loaded})
}

func (q *qasper) decode(id string, dec *json.Decoder) error {
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return err
	}
	members := map[string]json.RawMessage{}
	object := json.Unmarshal(raw, &members) == nil
	switch {
	case isObject(members["qas"]), isObject(members["full_text"]), !object && slices.Contains(hubFields, id):
		return errors.New(huggingFace)
	case !object:
		q.fault("", "paper "+id+": not an object; the paper is skipped", false)
		return nil
	}
	var paper qasperPaper
	if err := json.Unmarshal(raw, &paper); err != nil {
		q.fault("", "paper "+id+": "+fieldError(err)+"; the paper is skipped", false)
		return nil
	}
	q.add(id, paper)
	return nil
}

func (q *qasper) add(id string, paper qasperPaper) {
	doc := Document{ID: id, Title: paper.Title, Abstract: paper.Abstract}
	texts := make(map[string]string) // unit by text
	unit := func(kind string, n int, section, text string) Unit {
		u := Unit{ID: fmt.Sprintf("%s%d", kind, n), Section: section, Text: text}
		if _, twice := texts[text]; !twice {
			texts[text] = u.ID
		}
		return u
	}
	for _, section := range paper.FullText {
		for _, p := range section.Paragraphs {
			doc.Units = append(doc.Units, unit("p", len(doc.Units)+1, section.Section, p))
		}
	}
	for i, f := range paper.Floats {
		u := unit("f", i+1, "", FloatEvidence+f.Caption)
		if q.captions {
			doc.Units = append(doc.Units, u)
		}
	}
	q.Documents = append(q.Documents, doc)
	for i, question := range paper.Questions {
		q.question(doc, fmt.Sprintf("paper %s: qas[%d]", id, i), question, evidence{texts, paper.Floats != nil, q.captions})
	}
}

// evidence finds the units of evidence in a paper. Older files have no captions to compare with.
type evidence struct {
	units            map[string]string
	floats, captions bool
}

func (e evidence) unit(text string) (id string, known bool) {
	id, known = e.units[text]
	float := strings.HasPrefix(text, FloatEvidence)
	if float && !e.captions {
		id = ""
	}
	return id, known || float && !e.floats
}

func (q *qasper) question(doc Document, at string, question qasperQuestion, e evidence) {
	it := Item{Example: qa.Example{UUID: question.ID, Question: question.Question, Kind: qa.WithEvidence}, Document: doc.ID}
	switch first, twice := q.seen[question.ID]; {
	case question.ID == "":
		q.fault("", at+".question_id is missing; the question is skipped", false)
		return
	case twice:
		q.fault(question.ID, at+".question_id is also that of a question of paper "+first+"; the official evaluator sees the last one only", true)
	default:
		q.seen[question.ID] = doc.ID
	}
	for i, a := range question.Answers {
		place := fmt.Sprintf("%s.answers[%d]", at, i)
		g := GoldAnswer{Evidence: a.Answer.Evidence}
		if g.Text, g.Type = a.Answer.gold(); g.Type == "" {
			q.fault(question.ID, fmt.Sprintf("%s.answer (annotation %s) has no content; the annotation is skipped", place, a.ID), true)
			continue
		}
		for k, text := range g.Evidence {
			id, known := e.unit(text)
			if id != "" {
				g.Units = append(g.Units, id)
			}
			if !known {
				q.fault(question.ID, fmt.Sprintf("%s.answer.evidence[%d] is not in the paper: no answer can name it", place, k), true)
			}
		}
		it.Gold.Answers = append(it.Gold.Answers, g)
		if !it.HasTag(g.Type) {
			it.Tags = append(it.Tags, g.Type)
		}
	}
	if len(it.Gold.Answers) == 0 {
		q.fault(question.ID, at+".answers has no usable annotation; the question is skipped", false)
		return
	}
	q.Items = append(q.Items, it)
}

// gold is the text that the official evaluator compares, and its type; an empty type for an answer without content.
func (a qasperAnswer) gold() (text, kind string) {
	switch {
	case a.Unanswerable:
		return "Unanswerable", Unanswerable
	case len(a.Spans) > 0:
		return strings.Join(a.Spans, ", "), Extractive
	case a.FreeForm != "":
		return a.FreeForm, Abstractive
	case a.YesNo != nil && *a.YesNo:
		return "Yes", Boolean
	case a.YesNo != nil:
		return "No", Boolean
	}
	return "", ""
}
