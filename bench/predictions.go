package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/files"
	"airqa/qa"
	"airqa/qa/dataset"
)

// Format names the members of a prediction in a benchmark's own format, JSON Lines. Empty ones do not exist.
type Format struct {
	ID, Document, Text, Evidence, Ranking string
	// Units reads evidence as ids of units; nil reads a list of texts, which are written for the ids of units, too.
	Units func(Document, json.RawMessage) ([]string, error)
	// Whole makes a ranking that is written one of the whole pool; nil leaves it as it is.
	Whole func(Item, []string) []string
}

// Read reads the predictions for items. A faulty line is left out, faulty evidence counts as none, and of several
// predictions for an item the last counts; each is a fault. A file without a usable prediction is an error.
func (f Format) Read(path string, data *Dataset) (map[string]qa.Answer, []*dataset.Fault, error) {
	answers, items, papers := make(map[string]qa.Answer), data.ByID(), data.Papers()
	var faults []*dataset.Fault
	for block, err := range dataset.LineBlocks("predictions", path) {
		if err != nil {
			return nil, nil, err
		}
		for line, raw := range block.Records() {
			p := prediction{format: f, fault: dataset.Fault{Place: dataset.Place{File: block.File, Line: line}}}
			if id, ok := p.read(raw, items, papers); ok {
				if _, twice := answers[id]; twice {
					p.report(true, "the item has a prediction already; this one counts")
				}
				answers[id] = p.answer
			}
			faults = append(faults, p.faults...)
		}
	}
	if len(answers) == 0 {
		if len(faults) == 0 {
			return nil, nil, fmt.Errorf("%s has no prediction", path)
		}
		return nil, faults, fmt.Errorf("%s has no usable prediction; the first fault: %w", path, faults[0])
	}
	return answers, faults, nil
}

// prediction is a line being read.
type prediction struct {
	format  Format
	members map[string]json.RawMessage
	answer  qa.Answer
	fault   dataset.Fault
	faults  []*dataset.Fault
}

func (p *prediction) report(loaded bool, format string, args ...any) {
	at := p.fault
	at.Loaded, at.Text = loaded, fmt.Sprintf(format, args...)
	if !loaded {
		at.Costs = "prediction"
	}
	p.faults = append(p.faults, &at)
}

// item reads the members of a line and finds its item; ok is false if it is not a prediction for one.
func (p *prediction) item(raw []byte, items map[string]Item) (it Item, ok bool) {
	err := json.Unmarshal(raw, &p.members)
	var id string
	switch {
	case err != nil && !json.Valid(raw):
		p.report(false, "not a prediction: %v", err)
		return it, false
	case err != nil || p.members == nil:
		p.report(false, "not a prediction: %s, not an object", Kind(raw))
		return it, false
	case json.Unmarshal(p.members[p.format.ID], &id) != nil || id == "":
		p.report(false, "field %q, the id of an item, is missing or not a string", p.format.ID)
		return it, false
	}
	p.fault.UUID = id
	if it, ok = items[id]; !ok {
		p.report(false, "field %q: no item has this id", p.format.ID)
	}
	return it, ok
}

// read reads a line; ok is false if it is not a prediction for an item.
func (p *prediction) read(raw []byte, items map[string]Item, papers map[string]Document) (id string, ok bool) {
	it, ok := p.item(raw, items)
	if !ok {
		return "", false
	}
	id = it.UUID
	var document string
	if json.Unmarshal(p.members[p.format.Document], &document) == nil && document != "" && document != it.Document {
		p.report(true, "field %q: the item is about %q, not %q", p.format.Document, it.Document, document)
	}
	p.answer.Given = true
	if text := p.members[p.format.Text]; p.format.Text != "" && (json.Unmarshal(text, &p.answer.Text) != nil || string(text) == "null") {
		p.report(true, "field %q is %s, not a string; it counts as empty", p.format.Text, Kind(text))
	}
	if p.format.Evidence != "" {
		p.evidence(papers[it.Document])
	}
	if p.format.Ranking != "" {
		return id, p.ranking()
	}
	return id, true
}

func (p *prediction) evidence(d Document) {
	raw := p.members[p.format.Evidence]
	var err error
	switch {
	case p.format.Units != nil:
		p.answer.Evidence, err = p.format.Units(d, raw)
	case json.Unmarshal(raw, &p.answer.Evidence) != nil || string(raw) == "null":
		err = fmt.Errorf("%s is not a list of strings", Kind(raw))
	}
	if err != nil {
		p.answer.Evidence = nil
		p.report(true, "field %q: %v; it counts as none", p.format.Evidence, err)
	}
}

// ranking reads ids, which may be numbers. It is false without a list.
func (p *prediction) ranking() bool {
	var list []json.RawMessage
	if raw := p.members[p.format.Ranking]; json.Unmarshal(raw, &list) != nil || list == nil {
		p.report(false, "field %q is %s, not a list of ids", p.format.Ranking, Kind(raw))
		return false
	}
	p.answer.Ranking = []string{}
	for i, raw := range list {
		var id string
		switch kind := Kind(raw); {
		case strings.HasPrefix(kind, "a number"):
			id = string(raw)
		case kind != "a string" || json.Unmarshal(raw, &id) != nil:
			p.report(true, "%s[%d] is %s, not a number or a string; it is left out", p.format.Ranking, i, kind)
			continue
		}
		p.answer.Ranking = append(p.answer.Ranking, id)
	}
	return true
}

// Write writes the answers of a system to a file. Items without an answer have no line.
func (f Format) Write(path string, data *Dataset, s System) error {
	papers := data.Papers()
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	for i, it := range s.Items {
		a := s.Answers[i]
		if !a.Given {
			continue
		}
		if f.Whole != nil {
			a.Ranking = f.Whole(it, a.Ranking)
		}
		line := map[string]any{
			f.ID: it.UUID, f.Document: it.Document, f.Text: a.Text, f.Evidence: f.evidence(papers[it.Document], a.Evidence), f.Ranking: ids(a.Ranking),
		}
		delete(line, "")
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return files.WriteFile(path, text.Bytes())
}

// evidence has the texts of units for their ids, in a format of texts.
func (f Format) evidence(d Document, list []string) []string {
	list = append([]string{}, list...) // never null
	for i, id := range list {
		if at := slices.IndexFunc(d.Units, func(u Unit) bool { return u.ID == id }); at >= 0 && f.Units == nil {
			list[i] = d.Units[at].Text
		}
	}
	return list
}

// ids are numbers where they can be.
func ids(ranking []string) []any {
	list := make([]any, len(ranking))
	for i, id := range ranking {
		list[i] = id
		if n, err := strconv.Atoi(id); err == nil && strconv.Itoa(n) == id { // "007" is a text
			list[i] = n
		}
	}
	return list
}
