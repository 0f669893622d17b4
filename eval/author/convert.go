package author

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"airqa/eval"
	"airqa/internal/python"
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
	// Titles are the titles of the papers of LitSearch by corpus id, see [ReadTitles]; nil without them.
	Titles map[int64]string
}

// Finder returns UUID and title of the paper that a name stands for.
type Finder func(name string) (uuid, title string, err error)

// NoteKind is the severity of a [Note].
type NoteKind string

// The kinds of notes.
const (
	Form         NoteKind = "read as"         // how the file was read
	Guessed      NoteKind = "guessed"         // a choice that the file did not state
	Lost         NoteKind = "lost"            // a part of the record that the question lacks
	NoPaper      NoteKind = "paper not found" // a name of a paper, which the question lacks
	NotConverted NoteKind = "not converted"   // the record has no question in the result
	Incomplete   NoteKind = "incomplete"      // fields of AirQA that the record lacks or that are faulty
	Faulty       NoteKind = "faulty"          // the record's own evaluator, which is kept
)

// Note is about the conversion of a record.
type Note struct {
	Kind NoteKind
	dataset.Place
	Text string
}

// Question is a question of a file.
type Question struct {
	qa.Example
	Place dataset.Place
}

// Conversion counts what [Convert] has done so far.
type Conversion struct {
	Converted, Failed, NoEvaluator int
	Notes                          []Note
	// unanswered are converted records without an answer whose type was not given as [None].
	unanswered int
}

// Convert yields the questions of a file in any form that [dataset.Records] reads, as every command does. A record with an
// evaluator keeps it; one with a gold answer gets the evaluator of its type. It notes guesses, losses and faults in c. An
// error ends the stream.
func Convert(path string, o Options, c *Conversion) iter.Seq2[Question, error] {
	return func(yield func(Question, error) bool) {
		seen := make(map[string]dataset.Place)
		for r, err := range dataset.Records(path) {
			if err != nil {
				yield(Question{}, err)
				return
			}
			v := converter{Options: o, record: r, to: c}
			if r.Note != "" {
				v.note(Form, "%s", r.Note)
			}
			ex, ok := v.convert()
			if ok {
				ok = v.unique(&ex, seen)
			}
			if !ok {
				c.Failed++
				continue
			}
			c.Converted++
			if v.unanswered {
				c.unanswered++
			}
			if ex.Evaluator.Func == "" && ex.Kind == "" {
				c.NoEvaluator++
			}
			if !yield(Question{ex, v.record.Place}, nil) {
				return
			}
		}
	}
}

// converter converts one record.
type converter struct {
	Options
	record dataset.Record // its UUID is the question's, once it is known
	to     *Conversion
	fields map[string]json.RawMessage
	// unanswered means that the record has no answer.
	unanswered bool
}

func (c *converter) note(k NoteKind, format string, args ...any) {
	c.to.Notes = append(c.to.Notes, Note{k, c.record.Place, fmt.Sprintf(format, args...)})
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
	ex, faults, ok := dataset.Decode(c.record.Raw)
	if !c.record.Plain && ok && c.isNative(ex) {
		return c.keep(ex, faults)
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(c.record.Raw, &fields) != nil {
		return c.fail(strings.Join(faults, "; "))
	}
	c.fields = c.renamed(fields)
	if raw := c.fields["evaluator"]; raw != nil && string(raw) != "null" {
		return c.native()
	}
	if !c.record.Plain && !ok && !c.isDraft(fields) {
		return c.fail(strings.Join(faults, "; "))
	}
	return c.draft()
}

// isDraft reports whether a record, of which fields has the original names, is a question to make an evaluator for. With
// AirQA's own name of the question and no answer, the record was meant to be in AirQA's form: its faults say more.
func (c *converter) isDraft(fields map[string]json.RawMessage) bool {
	answered := c.fields["answer"] != nil || c.fields["answers"] != nil || fields["question"] == nil
	return c.fields["question"] != nil && answered
}

// isNative reports whether a question is in AirQA's form: it has an evaluator, or neither fields with other names nor
// options to add something.
func (c *converter) isNative(ex qa.Example) bool {
	if ex.Evaluator.Func != "" || ex.Kind != "" {
		return true
	}
	for name := range ex.Extra {
		if dataset.Field(name) != "" {
			return false
		}
	}
	return (c.Kind == "" || c.Kind == Auto) && len(c.Papers) == 0
}

// keep returns a question in AirQA's form.
func (c *converter) keep(ex qa.Example, faults []string) (qa.Example, bool) {
	c.record.UUID = ex.UUID
	for _, text := range faults {
		c.note(Incomplete, "%s", text)
	}
	if ex.Evaluator.Func != "" {
		for _, text := range eval.Check(ex.Evaluator) {
			c.note(Faulty, "%s", text)
		}
	}
	return ex, true
}

// native returns a question with an evaluator whose fields have other names or forms.
func (c *converter) native() (qa.Example, bool) {
	papers, references := c.papers(c.takeList("papers")), c.papers(c.takeList("references"))
	for name, value := range map[string]any{
		"anchor_pdf": papers, "reference_pdf": references, "tags": c.takeList("tags"), "conference": c.takeList("conference"),
		"reasoning_steps": c.takeList("reasoning_steps"),
	} {
		if raw, err := json.Marshal(value); err == nil && string(raw) != "[]" {
			c.fields[name] = raw
		}
	}
	raw, err := json.Marshal(c.fields)
	if err != nil {
		return c.fail(err.Error())
	}
	ex, faults, ok := dataset.Decode(raw)
	if !ok {
		return c.fail(strings.Join(faults, "; "))
	}
	return c.keep(ex, faults)
}

// renamed are the fields with AirQA's names. Of two fields with one meaning, the one with the plain name remains, else the
// first by name.
func (c *converter) renamed(fields map[string]json.RawMessage) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(fields))
	names := slices.Sorted(maps.Keys(fields))
	plain := func(name string) bool { return dataset.Field(name) == name }
	others := slices.DeleteFunc(slices.Clone(names), plain)
	names = slices.DeleteFunc(names, func(name string) bool { return !plain(name) })
	for _, name := range append(names, others...) {
		key := cmp.Or(dataset.Field(name), name)
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

// takeList removes a field and returns it as a list: of a JSON or Python list, or of a text with semicolons or line ends.
func (c *converter) takeList(name string) []string {
	raw := c.fields[name]
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		delete(c.fields, name)
		return listed(list)
	}
	text := c.take(name)
	if list, ok := literal(text).(python.List); ok {
		return listed(printed(list))
	}
	return listed(strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '\n' }))
}

// takeWords removes a field whose elements have no commas and returns it as a list.
func (c *converter) takeWords(name string) []string {
	return listed(strings.Split(strings.Join(c.takeList(name), ","), ","))
}

// draft makes a question of the fields.
func (c *converter) draft() (qa.Example, bool) {
	d := Draft{Question: c.take("question"), UUID: c.take("uuid"), Format: c.take("answer_format"), Find: c.Find}
	d.Tags, d.Conferences = c.takeWords("tags"), c.takeWords("conference")
	given := c.takeList("papers")
	if len(given) == 0 {
		given = c.Papers
	}
	d.Papers, d.References = c.papers(given), c.papers(c.takeList("references"))
	steps := c.takeList("reasoning_steps")
	if c.fields["corpusids"] != nil {
		if err := c.litSearch(&d); err != nil {
			return c.fail(err.Error())
		}
	} else {
		c.answer(&d)
	}
	w, err := d.Write()
	if err != nil {
		return c.fail(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	c.record.UUID = w.UUID
	if w.Guessed && w.Kind != None {
		c.note(Guessed, "type %s (%s)", w.Kind, w.Evaluator.Func)
	} else if w.Kind == None {
		c.unanswered = w.Guessed
		c.note(Lost, "no answer, so no evaluator: answers stay unscored")
	}
	for _, text := range w.Notes {
		c.note(Guessed, "%s", text)
	}
	if w.Extra = c.fields; len(steps) > 0 {
		w.ReasoningSteps = steps
	}
	line, err := dataset.Lines([]qa.Example{w.Example})
	if err != nil {
		return c.fail(err.Error())
	}
	read, faults, ok := dataset.Decode(line)
	if !ok {
		return c.fail(strings.Join(faults, "; "))
	}
	return read, true
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

// papers finds papers by their names; names without a paper are lost. A name with commas that is no paper is a list.
func (c *converter) papers(names []string) []string {
	var found []string
	for _, name := range names {
		uuid, _, err := FindPaper(c.Find, name)
		if parts := strings.Split(name, ","); err != nil && len(parts) > 1 {
			found = append(found, c.papers(listed(parts))...)
			continue
		}
		if err != nil {
			reason, list, _ := strings.Cut(err.Error(), "\n") // one element a line
			if list != "" {
				reason += " " + strings.Join(listed(strings.Split(list, "\n")), "; ")
			}
			c.note(NoPaper, "%s", reason)
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
func (c *converter) unique(ex *qa.Example, seen map[string]dataset.Place) bool {
	if _, twice := seen[ex.UUID]; twice && ex.UUID == qa.QuestionUUID(ex.Question) && len(ex.Papers()) > 0 {
		ex.UUID = qa.QuestionUUID(ex.Question + "\n" + strings.Join(ex.Papers(), "\n"))
	}
	if r, twice := seen[ex.UUID]; twice {
		place := fmt.Sprintf("line %d", r.Line)
		if r.File != c.record.File {
			place += " of " + r.File
		}
		_, ok := c.fail("the same uuid is in " + place + " already")
		return ok
	}
	c.record.UUID = ex.UUID
	seen[ex.UUID] = c.record.Place
	return true
}
