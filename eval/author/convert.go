package author

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"airqa/eval"
	"airqa/qa"
	"airqa/qa/dataset"
)

// Options configures [Convert].
type Options struct {
	// Kind is the type of answers whose record names none; empty is [Auto].
	Kind Kind
	// Papers are the names of the papers of records that name none.
	Papers []string
	// Find returns the paper with a name; may be nil, then only UUIDs are papers.
	Find Finder
}

// Finder returns UUID and title of the paper that a name stands for.
type Finder func(name string) (uuid, title string, err error)

// NoteKind is the severity of a [Note].
type NoteKind string

// The kinds of notes.
const (
	Guessed      NoteKind = "guessed"       // a choice that the file did not state
	Lost         NoteKind = "lost"          // a part of the record that the question lacks
	NotConverted NoteKind = "not converted" // the record has no question in the result
	Faulty       NoteKind = "faulty"        // the record's own evaluator, which is kept
)

// Note is about the conversion of a record.
type Note struct {
	Kind NoteKind
	File string
	Line int // from 1
	Text string
}

// Conversion counts what [Convert] has done so far.
type Conversion struct {
	Converted, Failed, NoEvaluator int
	Notes                          []Note
}

// Convert yields the questions of a file in any form that [dataset.Records] reads. A record with an evaluator keeps it. It notes
// guesses and losses in c. An error ends the stream.
func Convert(path string, o Options, c *Conversion) iter.Seq2[qa.Example, error] {
	return func(yield func(qa.Example, error) bool) {
		seen := make(map[string]int)
		for r, err := range dataset.Records(path) {
			if err != nil {
				yield(qa.Example{}, err)
				return
			}
			v := converter{Options: o, record: r, to: c}
			ex, ok := v.convert()
			if ok {
				ok = v.unique(&ex, seen)
			}
			if !ok {
				c.Failed++
				continue
			}
			c.Converted++
			if ex.Evaluator.Func == "" {
				c.NoEvaluator++
			}
			if !yield(ex, nil) {
				return
			}
		}
	}
}

// converter converts one record.
type converter struct {
	Options
	record dataset.Record
	to     *Conversion
	fields map[string]json.RawMessage
}

func (c *converter) note(k NoteKind, format string, args ...any) {
	c.to.Notes = append(c.to.Notes, Note{k, c.record.File, c.record.Line, fmt.Sprintf(format, args...)})
}

// fail notes why the record has no question.
func (c *converter) fail(reason string) (qa.Example, bool) {
	c.note(NotConverted, "%s", reason)
	return qa.Example{}, false
}

// convert returns the question of the record.
func (c *converter) convert() (qa.Example, bool) {
	if c.record.Fault != "" {
		return c.fail(c.record.Fault)
	}
	if c.record.Lost != "" {
		c.note(Lost, "%s", c.record.Lost)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(c.record.Raw, &fields); err != nil {
		return c.fail("not a JSON object: " + err.Error())
	}
	if raw, ok := fields["evaluator"]; ok && string(raw) != "null" {
		return c.keep()
	}
	c.fields = c.renamed(fields)
	return c.draft()
}

// keep returns a question that has its evaluator already.
func (c *converter) keep() (qa.Example, bool) {
	ex, faults, ok := dataset.Decode(c.record.Raw)
	if !ok {
		return c.fail(strings.Join(faults, "; "))
	}
	for _, text := range eval.Check(ex.Evaluator) {
		c.note(Faulty, "%s", text)
	}
	return ex, true
}

// aliases are names of fields in other files.
var aliases = map[string]string{
	"query": "question", "prompt": "question", "gold": "answer", "gold_answer": "answer", "expected": "answer", "expected_answer": "answer",
	"reference_answer": "answer", "target": "answer", "id": "uuid", "qid": "uuid", "question_id": "uuid", "answer_type": "type",
	"paper": "papers", "pdf": "papers", "pdfs": "papers", "anchor_pdf": "papers", "reference_pdf": "references",
	"format": "answer_format", "tag": "tags", "conferences": "conference",
}

// renamed are the fields with AirQA's names. Of two fields with one meaning, the first by name remains.
func (c *converter) renamed(fields map[string]json.RawMessage) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		key := strings.ToLower(strings.TrimSpace(name))
		if alias, ok := aliases[key]; ok {
			key = alias
		}
		if _, twice := out[key]; twice {
			c.note(Lost, "the field %q: another one means %s too", name, key)
			continue
		}
		out[key] = fields[name]
	}
	return out
}

// take removes a field and returns it as a text: a JSON string unquoted, another value as JSON, null as "".
func (c *converter) take(name string) string {
	raw := c.fields[name]
	delete(c.fields, name)
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// takeList removes a field and returns it as a list: of a JSON list, or of a text with semicolons.
func (c *converter) takeList(name string) []string {
	raw := c.fields[name]
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		delete(c.fields, name)
		return listed(list)
	}
	return listed(strings.Split(c.take(name), ";"))
}

// draft makes a question of the fields.
func (c *converter) draft() (qa.Example, bool) {
	d := Draft{Question: c.take("question"), UUID: c.take("uuid"), Format: c.take("answer_format"), Find: c.Find}
	d.Tags, d.Conferences = c.takeList("tags"), c.takeList("conference")
	given := c.takeList("papers")
	if len(given) == 0 {
		given = c.Papers
	}
	d.Papers, d.References = c.papers(given), c.papers(c.takeList("references"))
	c.answer(&d)
	w, err := d.Write()
	if err != nil {
		return c.fail(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if w.Guessed && w.Kind != None {
		c.note(Guessed, "type %s (%s)", w.Kind, w.Evaluator.Func)
	} else if w.Kind == None {
		c.note(Lost, "no answer, so no evaluator: answers stay unscored")
	}
	for _, text := range w.Notes {
		c.note(Guessed, "%s", text)
	}
	if len(c.fields) > 0 {
		w.Extra = c.fields
	}
	return w.Example, true
}

// answer reads gold answer and type. Several answers in "answers" are alternatives.
func (c *converter) answer(d *Draft) {
	d.Answer, d.Kind = c.take("answer"), c.Kind
	if name := c.take("type"); name != "" {
		k, err := ParseKind(name)
		if err != nil {
			c.note(Lost, "%q is not a type of answer", name)
		} else {
			d.Kind = k
		}
	}
	if d.Answer != "" {
		return
	}
	var several []json.RawMessage
	if json.Unmarshal(c.fields["answers"], &several) != nil || len(several) == 0 {
		return
	}
	d.Answer = c.take("answers")
	if d.Kind == "" || d.Kind == Auto {
		d.Kind = OneOf
		if !short(sentences(d.Answer)) {
			d.Kind = AnyText
		}
		c.note(Guessed, "type %s: the field answers has alternatives", d.Kind)
	}
}

// papers finds papers by their names; names without a paper are lost.
func (c *converter) papers(names []string) []string {
	var found []string
	for _, name := range names {
		uuid, _, err := FindPaper(c.Find, name)
		if err != nil {
			c.note(Lost, "%s", strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		found = append(found, uuid)
	}
	return found
}

// FindPaper returns the paper with a name. A UUID needs no finder.
func FindPaper(find Finder, name string) (uuid, title string, err error) {
	if find != nil {
		uuid, title, err = find(name)
		if err == nil || !qa.IsUUID(name) {
			return uuid, title, err
		}
	}
	if qa.IsUUID(name) {
		return strings.ToLower(name), "", nil
	}
	return "", "", fmt.Errorf("the paper %q has no uuid: name a data directory with --data", name)
}

// unique gives the question an id of its own. The same question about other papers is another one; its id follows from both.
func (c *converter) unique(ex *qa.Example, seen map[string]int) bool {
	if _, twice := seen[ex.UUID]; twice && ex.UUID == qa.QuestionUUID(ex.Question) && len(ex.Papers()) > 0 {
		ex.UUID = qa.QuestionUUID(ex.Question + "\n" + strings.Join(ex.Papers(), "\n"))
	}
	if line, twice := seen[ex.UUID]; twice {
		_, ok := c.fail(fmt.Sprintf("the same id is in line %d", line))
		return ok
	}
	seen[ex.UUID] = c.record.Line
	return true
}

// Summary groups the notes by their text, with the lines of each: first what is not converted, then losses and guesses.
func (c *Conversion) Summary() []string {
	var out []string
	for _, kind := range []NoteKind{NotConverted, Faulty, Lost, Guessed} {
		lines := make(map[string][]int)
		var texts []string
		for _, n := range c.Notes {
			if n.Kind != kind {
				continue
			}
			key := n.File + ": " + string(n.Kind) + ": " + n.Text
			if lines[key] == nil {
				texts = append(texts, key)
			}
			lines[key] = append(lines[key], n.Line)
		}
		for _, key := range texts {
			out = append(out, key+" ("+ranges(lines[key])+")")
		}
	}
	return out
}

// maxRanges is the maximum number of ranges of lines that a note lists.
const maxRanges = 20

// ranges formats line numbers: "line 3" or "lines 1-4, 7".
func ranges(lines []int) string {
	slices.Sort(lines)
	lines = slices.Compact(lines)
	var parts []string
	for i := 0; i < len(lines); {
		end := i
		for end+1 < len(lines) && lines[end+1] == lines[end]+1 {
			end++
		}
		part := fmt.Sprint(lines[i])
		if end > i {
			part += fmt.Sprintf("-%d", lines[end])
		}
		parts = append(parts, part)
		i = end + 1
		if len(parts) == maxRanges && i < len(lines) {
			parts = append(parts, fmt.Sprintf("and %d more", len(lines)-i))
			break
		}
	}
	if len(lines) == 1 {
		return "line " + parts[0]
	}
	return "lines " + strings.Join(parts, ", ")
}
