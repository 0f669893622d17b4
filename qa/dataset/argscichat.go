package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/python"
	"airqa/qa"
)

// foldFile matches the names of ArgSciChat's files.
var foldFile = regexp.MustCompile(`^fold_([0-9]+)_(train|val|test)\.json$`)

// foldSplits are in reading order.
var foldSplits = []string{"train", "val", "test"}

// FoldTag is the tag of an item of ArgSciChat that is in a part (train, val or test) of a fold.
func FoldTag(fold int, split string) string { return fmt.Sprintf("fold%d:%s", fold, split) }

// ArgSciChat reads the files fold_N_train.json, fold_N_val.json and fold_N_test.json of a folder. Documents are papers,
// with the sentences of abstract and introduction as units. Items are turns in the order of the dialogues; a turn
// without history begins a dialogue. Each turn has a tag ([FoldTag]) per fold.
//
// Gold units are the sentences that the rationales of the answer match: the first sentence that contains the rationale,
// ignoring case, whitespace and ASCII punctuation. A rationale may be the title, which is not a sentence.
func ArgSciChat(dir string) (*Companion, error) {
	entries, err := os.ReadDir(dir)
	if info, e := os.Stat(dir); e == nil && !info.IsDir() {
		return nil, fmt.Errorf("read ArgSciChat: %s is a file; name the folder with fold_0_train.json and the other files of the folds", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("read ArgSciChat: %w", err)
	}
	r := &chatReader{c: &Companion{Name: "argscichat"}, papers: make(map[string]*chatPaper), turns: make(map[string]int)}
	files := make(map[int][]string)
	for _, e := range entries {
		if m := foldFile.FindStringSubmatch(e.Name()); m != nil {
			fold, err := strconv.Atoi(m[1])
			if err != nil {
				return nil, fmt.Errorf("read ArgSciChat: %s: %w", e.Name(), err)
			}
			files[fold] = append(files[fold], m[2])
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("read ArgSciChat: %s has no file fold_0_train.json or the like; name the folder with the files of the folds", dir)
	}
	for fold := range slices.Max(slices.Collect(maps.Keys(files))) + 1 {
		if err := r.fold(dir, fold, files[fold]); err != nil {
			return nil, err
		}
	}
	return r.c, nil
}

type chatReader struct {
	c      *Companion
	papers map[string]*chatPaper
	turns  map[string]int // item by id
	// at is the file and line being read, place the paper and the position of a turn.
	at    Fault
	place string
	// unknown counts the unknown keys of the file, by level and name.
	unknown map[string]int
}

// chatPaper is where a paper was first read, and its items.
type chatPaper struct {
	file, value string
	items       []int
	fold        int // the last one that has it
}

// fault notes a problem of an item, which may be empty.
func (r *chatReader) fault(item string, loaded bool, format string, args ...any) {
	f := r.at
	f.UUID, f.Loaded, f.Text = item, loaded, fmt.Sprintf(format, args...)
	if item == "" {
		f.Text = r.place + f.Text
	}
	r.c.Faults = append(r.c.Faults, &f)
}

// lost is [chatReader.fault] for a problem that costs the paper or the turn.
func (r *chatReader) lost(what, item, format string, args ...any) {
	r.fault(item, false, "%s; the %s is skipped", fmt.Sprintf(format, args...), what)
	r.c.Faults[len(r.c.Faults)-1].Costs = what
}

func (r *chatReader) fold(dir string, fold int, present []string) error {
	for _, split := range foldSplits {
		name := fmt.Sprintf("fold_%d_%s.json", fold, split)
		r.at, r.unknown = Fault{File: name, Line: 1}, make(map[string]int)
		if !slices.Contains(present, split) {
			r.fault("", false, "the file is missing")
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("read ArgSciChat: %w", err)
		}
		if err := r.file(raw, fold, split); err != nil {
			return fmt.Errorf("read ArgSciChat: %s:%d: %w", filepath.Join(dir, name), r.at.Line, err)
		}
		r.at.Line = 1
		for _, key := range slices.Sorted(maps.Keys(r.unknown)) {
			r.fault("", true, "unknown %s (%d times), which is ignored", key, r.unknown[key])
		}
	}
	return nil
}

// file reads the papers of a file in their order.
func (r *chatReader) file(raw []byte, fold int, split string) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(errors.New("it is not a JSON object of papers by title"), err)
	}
	for dec.More() {
		key, err := dec.Token()
		r.at.Line = 1 + bytes.Count(raw[:dec.InputOffset()], []byte("\n"))
		if err != nil {
			return err
		}
		title, _ := key.(string) // keys of an object are strings
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return fmt.Errorf("paper %q: %w", title, err)
		}
		r.paper(title, value, fold, split)
	}
	_, err := dec.Token()
	return err
}

// paper adds a paper that is new, and marks its turns with the fold.
func (r *chatReader) paper(title string, raw json.RawMessage, fold int, split string) {
	known := r.papers[title]
	same := canonical(raw)
	if known == nil {
		known = &chatPaper{file: r.at.File, value: same, fold: -1}
		r.papers[title] = known
		known.items = r.read(title, raw)
	}
	switch {
	case known.fold == fold:
		r.fault("", true, "paper %q is in this fold already", title)
	case known.value != same:
		r.fault("", true, "paper %q differs from the one in %s, which is used", title, known.file)
	}
	known.fold = fold
	for _, i := range known.items {
		r.c.Items[i].Tags = append(r.c.Items[i].Tags, FoldTag(fold, split))
	}
}

// canonical is a JSON value with sorted keys, or the text itself if it is not valid.
func canonical(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) == nil {
		if sorted, err := json.Marshal(v); err == nil {
			return string(sorted)
		}
	}
	return string(raw)
}

// keys decodes the fields of an object and reports its faults. It returns whether the object can be used.
func (r *chatReader) keys(what, item string, raw json.RawMessage, all []field) bool {
	var keys map[string]json.RawMessage
	if json.Unmarshal(raw, &keys) != nil || keys == nil {
		r.lost(what, item, "a %s must be an object, not %s", what, short(raw))
		return false
	}
	usable := true
	for _, f := range all {
		text := r.field(what, item, keys, f)
		delete(keys, f.name)
		switch {
		case text == "":
		case f.needed && usable:
			r.lost(what, item, "%s", text)
			usable = false
		default:
			reflect.ValueOf(f.into).Elem().SetZero() // a list may be half read
			r.fault(item, !f.needed, "%s", text)
		}
	}
	for name := range keys {
		r.unknown[fmt.Sprintf("key %q of a %s", name, what)]++
	}
	return usable
}

// field decodes a field and returns its fault; "" if it has none, or only faulty elements, which it reports.
func (r *chatReader) field(what, item string, keys map[string]json.RawMessage, f field) string {
	switch value, ok := keys[f.name]; {
	case !ok:
		return fmt.Sprintf("field %q of a %s is missing", f.name, what)
	case string(value) == "null":
		return fmt.Sprintf("field %q must be %s, not null", f.name, f.want)
	case r.texts(item, f, value):
		return ""
	}
	return f.read(keys)
}

// texts reads a list of strings element by element and reports whether it is one. A faulty rationale is left out; a
// faulty sentence or message is empty, so that the others keep their numbers.
func (r *chatReader) texts(item string, f field, raw json.RawMessage) bool {
	into, ok := f.into.(*[]string)
	var elements []json.RawMessage
	if !ok || json.Unmarshal(raw, &elements) != nil {
		return false
	}
	for i, e := range elements {
		var text string
		faulty := string(e) == "null" || json.Unmarshal(e, &text) != nil
		if faulty {
			r.fault(item, true, "field %q: element %d must be a string, not %s; it is left out", f.name, i, short(e))
		}
		if !faulty || f.name != "facts" {
			*into = append(*into, text)
		}
	}
	return true
}

// chatTurn is a turn as the files have it.
type chatTurn struct {
	ID           string
	Proponent    string
	Expert       string
	Facts        []string
	History      []string
	HistoryIDs   []string
	HistoryFacts [][]string
}

func (t *chatTurn) fields() []field {
	return []field{
		{"id", "a string", &t.ID, true, true},
		{"P_Message", "a string", &t.Proponent, true, true},
		{"DE_Message", "a string", &t.Expert, false, true},
		{"facts", "a list of strings", &t.Facts, false, true},
		{"history", "a list of strings", &t.History, false, true},
		{"history_ids", "a list of strings", &t.HistoryIDs, false, true},
		{"history_facts", "a list of lists of strings", &t.HistoryFacts, false, true},
	}
}

// read adds a paper and its turns and returns their positions in the list of items.
func (r *chatReader) read(title string, raw json.RawMessage) []int {
	var id, name string
	var content []string
	var pairs []json.RawMessage
	if !r.keys("paper", title, raw, []field{
		{"id", "a string", &id, false, true},
		{"title", "a string", &name, false, true},
		{"content", "a list of strings", &content, true, true},
		{"message_pairs", "a list of turns", &pairs, true, true},
	}) {
		return nil
	}
	if id != title || name != title {
		r.fault(title, true, "fields \"id\" and \"title\" are not the paper's key")
	}
	d := Document{ID: title, Title: title}
	for i, s := range content {
		d.Units = append(d.Units, Unit{ID: "s" + strconv.Itoa(i+1), Text: s})
	}
	r.c.Documents = append(r.c.Documents, d)
	var list []int
	said := make(map[string]chatTurn)
	defer func() { r.place = "" }()
	for i, raw := range pairs {
		var t chatTurn
		r.place = fmt.Sprintf("paper %q: message_pairs[%d]: ", title, i)
		if !r.keys("turn", turnID(raw), raw, t.fields()) {
			continue
		}
		if _, twice := r.turns[t.ID]; twice {
			r.lost("turn", t.ID, "field \"id\": another turn has it")
			continue
		}
		said[t.ID], r.turns[t.ID] = t, len(r.c.Items)
		list = append(list, len(r.c.Items))
		r.c.Items = append(r.c.Items, r.item(d, t, said))
	}
	return list
}

// turnID returns the id of a turn that may be faulty.
func turnID(raw json.RawMessage) string {
	var t struct{ ID any }
	if json.Unmarshal(raw, &t) != nil || t.ID == nil {
		return ""
	}
	return fmt.Sprint(t.ID)
}

func (r *chatReader) item(d Document, t chatTurn, said map[string]chatTurn) Item {
	ex := qa.Example{UUID: t.ID, Question: t.Proponent, Kind: qa.Dialogue}
	if len(t.HistoryFacts) != len(t.HistoryIDs) {
		r.fault(t.ID, true, "field \"history_facts\" has %d lists for %d turns of \"history_ids\"", len(t.HistoryFacts), len(t.HistoryIDs))
	}
	var texts []string
	for i, id := range t.HistoryIDs {
		earlier, ok := said[id]
		if !ok {
			r.fault(t.ID, true, "field \"history_ids\": %q is not an earlier turn of the paper", id)
			continue
		}
		var rationales []string
		if i < len(t.HistoryFacts) {
			rationales = t.HistoryFacts[i]
		}
		ex.History = append(ex.History, qa.Utterance{Role: qa.User, Text: earlier.Proponent},
			qa.Utterance{Role: qa.Assistant, Text: earlier.Expert, Rationales: rationales})
		texts = append(append(texts, earlier.Proponent, earlier.Expert), rationales...)
	}
	if bare(strings.Join(t.History, "")) != bare(strings.Join(texts, "")) {
		r.fault(t.ID, true, "field \"history\" is not the text of the turns of \"history_ids\", which is used")
	}
	return Item{Example: ex, Document: d.ID, Gold: Gold{Answers: []GoldAnswer{{Text: t.Expert, Evidence: t.Facts, Units: r.match(d, t)}}}}
}

// match returns the ids of the distinct sentences of the rationales, in their order.
func (r *chatReader) match(d Document, t chatTurn) []string {
	var units []string
	for _, fact := range t.Facts {
		i := MatchSentence(d, fact)
		switch {
		case i >= 0 && !slices.Contains(units, d.Units[i].ID):
			units = append(units, d.Units[i].ID)
		case i >= 0:
		case bare(fact) != "" && strings.Contains(d.Title, fact):
			r.fault(t.ID, true, "field \"facts\": the rationale %q is in the title, not in a sentence", fact)
		default:
			r.fault(t.ID, true, "field \"facts\": the rationale %q matches no sentence", fact)
		}
	}
	return units
}

// MatchSentence returns the index of the first unit that contains a passage, ignoring case, whitespace and ASCII
// punctuation; -1 if there is none, or if the passage has no other characters.
func MatchSentence(d Document, passage string) int {
	want := bare(passage)
	if want == "" {
		return -1
	}
	return slices.IndexFunc(d.Units, func(u Unit) bool { return strings.Contains(bare(u.Text), want) })
}

func bare(text string) string {
	return python.RemovePunctuation(python.RemoveSpace(python.Lower(text)))
}
