package argscichat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/bench"
	"airqa/internal/files"
	"airqa/internal/lazyregexp"
	"airqa/internal/python"
	"airqa/qa"
	"airqa/qa/dataset"
)

var foldFile = lazyregexp.New(`^fold_([0-9]+)_(train|val|test)\.json$`)

// foldSplits are in reading order.
var foldSplits = []string{"train", "val", "test"}

// FoldTag is the tag of an item that is in a part (train, val or test) of a fold.
func FoldTag(fold int, split string) string { return fmt.Sprintf("fold%d:%s", fold, split) }

// Load reads the files fold_N_train.json, fold_N_val.json and fold_N_test.json of a folder. Documents are papers, with the
// sentences of abstract and introduction as units. Items are turns in the order of the dialogues; a turn without history
// begins a dialogue. Each turn has a tag ([FoldTag]) per fold.
//
// Gold units are the sentences that the rationales of the answer match: the first sentence that contains the rationale,
// ignoring case, whitespace and ASCII punctuation. A rationale may be the title, which is not a sentence.
func Load(dir string, _ bench.Choice) (*bench.Dataset, error) {
	entries, err := os.ReadDir(dir)
	if info, e := os.Stat(dir); e == nil && !info.IsDir() {
		return nil, fmt.Errorf("read ArgSciChat: %s is a file; name the folder with fold_0_train.json and the other files of the folds", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("read ArgSciChat: %w", err)
	}
	r := &loader{Dataset: &bench.Dataset{Name: "argscichat", Title: "ArgSciChat"}, papers: make(map[string]*loadedPaper), turns: make(map[string]bool)}
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
	return r.Dataset, nil
}

// boundary is the key of the number of sentences of the abstract, with which a paper's content begins. Only exports of collected
// dialogues have it.
const boundary = "abstract_sentences"

type loader struct {
	*bench.Dataset
	papers map[string]*loadedPaper
	turns  map[string]bool // by id
	// at is the file and line being read.
	at dataset.Fault
	// unknown counts the unknown keys of the file, by level and name.
	unknown map[string]int
}

// loadedPaper is where a paper was first read, and its items.
type loadedPaper struct {
	file, value string
	items       []int
	fold        int // the last one that has it
}

// fault notes a problem of an item, which may be empty.
func (r *loader) fault(item, format string, args ...any) {
	r.reporter(item)(fmt.Sprintf(format, args...), "")
}

func (r *loader) reporter(item string) func(text, costs string) {
	return func(text, costs string) {
		at := r.at
		at.UUID = item
		r.Report(at, text, costs)
	}
}

func (r *loader) fold(dir string, fold int, present []string) error {
	for _, split := range foldSplits {
		name := fmt.Sprintf("fold_%d_%s.json", fold, split)
		r.at, r.unknown = dataset.Fault{Place: dataset.Place{File: name, Line: 1}}, make(map[string]int)
		if !slices.Contains(present, split) {
			r.fault("", "the file is missing")
			continue
		}
		raw, err := files.ReadText(filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("read ArgSciChat: %w", err)
		}
		dec := json.NewDecoder(bytes.NewReader(raw))
		err = bench.Members(dec, func(title string) error {
			r.at.Line = 1 + bytes.Count(raw[:dec.InputOffset()], []byte("\n"))
			var value json.RawMessage
			if err := dec.Decode(&value); err != nil {
				return fmt.Errorf("paper %q: %w", title, err)
			}
			r.paper(title, value, fold, split)
			return nil
		})
		if errors.Is(err, bench.ErrBeginning) {
			err = fmt.Errorf("%w: an object of papers by title", err)
		}
		if err != nil {
			return fmt.Errorf("read ArgSciChat: %s:%d: %w", filepath.Join(dir, name), r.at.Line, err)
		}
		r.at.Line = 1
		for _, key := range slices.Sorted(maps.Keys(r.unknown)) {
			r.fault("", "unknown %s (%d times), which is ignored", key, r.unknown[key])
		}
	}
	return nil
}

// paper adds a paper that is new, and marks its turns with the fold.
func (r *loader) paper(title string, raw json.RawMessage, fold int, split string) {
	known := r.papers[title]
	same := canonical(raw)
	if known == nil {
		known = &loadedPaper{file: r.at.File, value: same, fold: -1}
		r.papers[title] = known
		known.items = r.read(title, raw)
	}
	switch {
	case known.fold == fold:
		r.fault("", "paper %q is in this fold already", title)
	case known.value != same:
		r.fault("", "paper %q differs from the one in %s, which is used", title, known.file)
	}
	known.fold = fold
	for _, i := range known.items {
		r.Items[i].Tags = append(r.Items[i].Tags, FoldTag(fold, split))
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

// keys are the names in an object. It cannot do without the needed ones, and optional ones are not missed.
type keys struct{ needed, others, optional []string }

// object reads the names of a paper or a turn. It counts unknown ones, and reports those that are missing.
func (r *loader) object(raw json.RawMessage, at, what, item string, k keys) *bench.Object {
	o := bench.NewObject(raw, at, what, r.reporter(item))
	if o.Lost {
		return o
	}
	for name := range o.Members {
		if !slices.Contains(slices.Concat(k.needed, k.others, k.optional), name) {
			r.unknown[fmt.Sprintf("key %q of a %s", name, what)]++
		}
	}
	o.Expect(what, k.needed...)
	o.Expect("", k.others...)
	return o
}

type loadedTurn struct {
	id, proponent, expert      string
	facts, history, historyIDs []string
	historyFacts               [][]string
}

func (r *loader) turn(raw json.RawMessage, at string) (t loadedTurn, ok bool) {
	var id struct{ ID string }
	_ = json.Unmarshal(raw, &id) // it only names the turn
	o := r.object(raw, at, bench.ATurn, id.ID, keys{
		needed: []string{"id", "P_Message"}, others: []string{"DE_Message", "facts", "history", "history_ids", "history_facts"},
	})
	t = loadedTurn{
		id: bench.Member[string](o, "id", bench.ATurn), proponent: bench.Member[string](o, "P_Message", bench.ATurn),
		expert: bench.Member[string](o, "DE_Message", ""), facts: bench.List[string](o, "facts", bench.Costs{}),
		history:      bench.List[string](o, "history", bench.Costs{Places: true}),
		historyIDs:   bench.List[string](o, "history_ids", bench.Costs{Places: true}),
		historyFacts: bench.Member[[][]string](o, "history_facts", ""),
	}
	switch {
	case o.Lost:
	case t.id == "":
		o.Fault("id", " is empty", bench.ATurn)
	case t.proponent == "":
		o.Fault("P_Message", " is empty", bench.ATurn)
	case r.turns[t.id]:
		o.Fault("id", " is that of another turn", bench.ATurn)
	}
	return t, !o.Lost
}

// read adds a paper and its turns and returns their positions in the list of items.
func (r *loader) read(title string, raw json.RawMessage) []int {
	o := r.object(raw, fmt.Sprintf("paper %q:", title), bench.APaper, title, keys{
		needed: []string{"content", "message_pairs"}, others: []string{"id", "title"}, optional: []string{boundary},
	})
	id, name := bench.Member[string](o, "id", ""), bench.Member[string](o, "title", "")
	content := bench.List[string](o, "content", bench.Costs{List: bench.APaper, Places: true})
	turns := bench.List[json.RawMessage](o, "message_pairs", bench.Costs{List: bench.APaper})
	if o.Lost {
		return nil
	}
	if id != title || name != title {
		r.fault(title, "fields \"id\" and \"title\" are not the paper's key")
	}
	abstract := bench.Member[int](o, boundary, "")
	if abstract < 0 || abstract > len(content) {
		r.fault(title, "field %q is %d, but the paper has %d sentences; it is ignored", boundary, abstract, len(content))
		abstract = 0
	}
	d := bench.Document{ID: title, Title: title, Abstract: strings.Join(content[:abstract], " "), AbstractUnits: abstract}
	for i, s := range content {
		d.Units = append(d.Units, bench.Unit{ID: "s" + strconv.Itoa(i+1), Text: s})
	}
	r.Documents = append(r.Documents, d)
	var list []int
	said := make(map[string]loadedTurn)
	for i, raw := range turns {
		t, ok := r.turn(raw, fmt.Sprintf("paper %q: message_pairs[%d]:", title, i))
		if !ok {
			continue
		}
		said[t.id], r.turns[t.id] = t, true
		list = append(list, len(r.Items))
		r.Items = append(r.Items, r.item(d, t, said))
	}
	return list
}

func (r *loader) item(d bench.Document, t loadedTurn, said map[string]loadedTurn) bench.Item {
	ex := qa.Example{UUID: t.id, Question: t.proponent, Kind: qa.Dialogue}
	if len(t.historyFacts) != len(t.historyIDs) {
		r.fault(t.id, "field \"history_facts\" has %d lists for %d turns of \"history_ids\"", len(t.historyFacts), len(t.historyIDs))
	}
	var texts []string
	for i, id := range t.historyIDs {
		earlier, ok := said[id]
		if !ok {
			r.fault(t.id, "field \"history_ids\": %q is not an earlier turn of the paper", id)
			continue
		}
		var rationales []string
		if i < len(t.historyFacts) {
			rationales = t.historyFacts[i]
		}
		ex.History = append(ex.History, qa.Utterance{Role: qa.User, Text: earlier.proponent},
			qa.Utterance{Role: qa.Assistant, Text: earlier.expert, Rationales: rationales})
		texts = append(append(texts, earlier.proponent, earlier.expert), rationales...)
	}
	if bare(strings.Join(t.history, "")) != bare(strings.Join(texts, "")) {
		r.fault(t.id, "field \"history\" is not the text of the turns of \"history_ids\", which is used")
	}
	answer := bench.GoldAnswer{Text: t.expert, Evidence: t.facts, Units: r.match(d, t)}
	return bench.Item{Example: ex, Document: d.ID, Gold: bench.Gold{Text: t.expert, Answers: []bench.GoldAnswer{answer}}}
}

// match returns the ids of the distinct sentences of the rationales, in their order.
func (r *loader) match(d bench.Document, t loadedTurn) []string {
	var units []string
	for _, fact := range t.facts {
		i := MatchSentence(d, fact)
		switch {
		case i >= 0 && !slices.Contains(units, d.Units[i].ID):
			units = append(units, d.Units[i].ID)
		case i >= 0:
		case bare(fact) != "" && strings.Contains(d.Title, fact):
			r.fault(t.id, "field \"facts\": the rationale %q is in the title, not in a sentence", fact)
		default:
			r.fault(t.id, "field \"facts\": the rationale %q matches no sentence", fact)
		}
	}
	return units
}

// MatchSentence returns the index of the first unit that contains a passage, ignoring case, whitespace and ASCII
// punctuation; -1 if there is none, or if the passage has no other characters.
func MatchSentence(d bench.Document, passage string) int {
	want := bare(passage)
	if want == "" {
		return -1
	}
	return slices.IndexFunc(d.Units, func(u bench.Unit) bool { return strings.Contains(bare(u.Text), want) })
}

func bare(text string) string {
	return python.RemovePunctuation(python.RemoveSpace(python.Lower(text)))
}
