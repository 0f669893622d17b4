package argscichat_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/bench"
	"airqa/bench/argscichat"
	"airqa/qa"
)

func TestLoad(t *testing.T) {
	c, err := argscichat.Load(fixture, bench.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Documents) != 4 || len(c.Items) != 18 || len(c.Faults) != 1 || !c.Faults[0].Loaded {
		t.Fatalf("%d papers, %d turns, faults %v", len(c.Documents), len(c.Items), c.Faults)
	}
	const title = "Tern: Reading Tables in Scanned Reports"
	if d := c.Documents[0]; d.ID != title || len(d.Units) != 7 || d.Units[1].ID != "s2" {
		t.Errorf("first paper %+v", d)
	}
	want := bench.Item{
		Example: qa.Example{
			UUID: title + "_1", Question: "How much data does it need for a new archive?", Kind: qa.Dialogue,
			Tags: []string{"fold0:train", "fold1:test"},
			History: []qa.Utterance{
				{Role: qa.User, Text: "Hello! What is this paper about?"},
				{
					Role: qa.Assistant, Text: "Hi! It is about a reader of tables in scans, called Tern.",
					Rationales: []string{"We present Tern, a reader that finds cells without lines."},
				},
			},
		},
		Document: title,
		Gold: bench.Gold{Text: "Twelve labelled pages are enough. Do you have an archive in mind?", Answers: []bench.GoldAnswer{{
			Text:     "Twelve labelled pages are enough. Do you have an archive in mind?",
			Evidence: []string{"Tern needs 12 labelled pages to adapt to a new archive."}, Units: []string{"s3"},
		}}},
	}
	if diff := cmp.Diff(want, c.Items[1]); diff != "" {
		t.Errorf("second turn (-want +got)\n%s", diff)
	}
}

func TestMatchSentence(t *testing.T) {
	d := bench.Document{Units: []bench.Unit{{Text: "One, two."}, {Text: "Three-four (five)"}, {Text: "three four five six"}}}
	for passage, want := range map[string]int{
		"TWO": 0, "threefour": 1, " four\u00a0five ": 1, "fiveSix!": 2, "seven": -1, "": -1, "...": -1, "two three": -1,
	} {
		if got := argscichat.MatchSentence(d, passage); got != want {
			t.Errorf("MatchSentence(%q) = %d, want %d", passage, got, want)
		}
	}
}

// turnJSON is a turn of a paper "P" with some fields replaced.
func turnJSON(fields ...string) string {
	keys := []string{`"id":"P_0"`, `"P_Message":"q"`, `"DE_Message":"a"`, `"facts":[]`, `"history":[]`, `"history_ids":[]`, `"history_facts":[]`}
	for _, f := range fields {
		name, _, _ := strings.Cut(f, ":")
		for i, k := range keys {
			if strings.HasPrefix(k, name+":") {
				keys[i] = f
				f = ""
			}
		}
		if f != "" {
			keys = append(keys, f)
		}
	}
	return "{" + strings.Join(keys, ",") + "}"
}

func TestArgSciChatFaults(t *testing.T) {
	paper := func(turns ...string) string {
		return `{"P":{"id":"P","title":"P","content":["One."],"message_pairs":[` + strings.Join(turns, ",") + `]}}`
	}
	tests := []struct {
		name, train string
		items       int
		want        []string
	}{
		{"none", paper(turnJSON(`"facts":["one"]`)), 1, nil},
		{"unknown keys", paper(turnJSON(`"mood":1`), turnJSON(`"id":"P_1"`, `"mood":2`)), 2, []string{`fold_0_train.json:1: unknown key "mood" of a turn (2 times), which is ignored`}},
		{"duplicate id", paper(turnJSON(), turnJSON()), 1, []string{`fold_0_train.json:1: example P_0: paper "P": message_pairs[1]: id is that of another turn; the turn is skipped`}},
		{"rationale elsewhere", paper(turnJSON(`"facts":["two","..."]`)), 1, []string{
			`fold_0_train.json:1: example P_0: field "facts": the rationale "two" matches no sentence`,
			`fold_0_train.json:1: example P_0: field "facts": the rationale "..." matches no sentence`,
		}},
		{"title as rationale", paper(turnJSON(`"facts":["P"]`)), 1, []string{`fold_0_train.json:1: example P_0: field "facts": the rationale "P" is in the title, not in a sentence`}},
		{"no message", paper(turnJSON(`"P_Message":""`)), 0, []string{`fold_0_train.json:1: example P_0: paper "P": message_pairs[0]: P_Message is empty; the turn is skipped`}},
		{"null", paper(turnJSON(`"facts":null`, `"DE_Message":null`)), 1, []string{
			`fold_0_train.json:1: example P_0: paper "P": message_pairs[0]: DE_Message is null`,
			`fold_0_train.json:1: example P_0: paper "P": message_pairs[0]: facts is null`,
		}},
		{"wrong type", paper(turnJSON(`"facts":"one"`)), 1, []string{`fold_0_train.json:1: example P_0: paper "P": message_pairs[0]: facts is a string, not a list; it is left out`}},
		{"a faulty rationale", paper(turnJSON(`"facts":["one",1,null]`)), 1, []string{
			`fold_0_train.json:1: example P_0: paper "P": message_pairs[0]: facts[1] is a number (1), not a string; it is left out`,
			`fold_0_train.json:1: example P_0: paper "P": message_pairs[0]: facts[2] is null, not a string; it is left out`,
		}},
		{"a faulty sentence", `{"P":{"id":"P","title":"P","content":[7,"One."],"message_pairs":[` + turnJSON(`"facts":["one"]`) + `]}}`, 1, []string{
			`fold_0_train.json:1: example P: paper "P": content[0] is a number (7), not a string; it is left out`,
		}},
		{"missing field", paper(`{"id":"P_0","P_Message":"q","DE_Message":"a","facts":[],"history":[],"history_ids":[]}`), 1, []string{`fold_0_train.json:1: example P_0: paper "P": message_pairs[0]: history_facts is missing`}},
		{"unknown history", paper(turnJSON(`"history_ids":["P_9"]`, `"history_facts":[[]]`)), 1, []string{`fold_0_train.json:1: example P_0: field "history_ids": "P_9" is not an earlier turn of the paper`}},
		{"other history", paper(turnJSON(), turnJSON(`"id":"P_1"`, `"history_ids":["P_0"]`, `"history":["z"]`)), 2, []string{
			`fold_0_train.json:1: example P_1: field "history_facts" has 0 lists for 1 turns of "history_ids"`,
			`fold_0_train.json:1: example P_1: field "history" is not the text of the turns of "history_ids", which is used`,
		}},
		{"not a turn", paper(`3`), 0, []string{`fold_0_train.json:1: paper "P": message_pairs[0]: is a number (3), not an object; the turn is skipped`}},
		{"not a paper", `{"P":[]}`, 0, []string{`fold_0_train.json:1: example P: paper "P": is a list, not an object; the paper is skipped`}},
		{"other title", "{\n" + `"P":{"id":"P","title":"Q","content":[],"message_pairs":[]}}`, 0, []string{`fold_0_train.json:2: example P: fields "id" and "title" are not the paper's key`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := loadChat(t, map[string]string{"fold_0_train.json": tt.train, "fold_0_val.json": "{}", "fold_0_test.json": "{}"})
			var got []string
			for _, f := range c.Faults {
				got = append(got, f.Error())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || len(c.Items) != tt.items {
				t.Errorf("%d items, faults (-want +got)\n%s", len(c.Items), diff)
			}
		})
	}
}

func loadChat(t *testing.T, files map[string]string) *bench.Dataset {
	t.Helper()
	c, err := argscichat.Load(chatFolder(t, files), bench.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func chatFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestArgSciChatFolds(t *testing.T) {
	paper := `{"P":{"id":"P","title":"P","content":["One."],"message_pairs":[` + turnJSON() + `]}}`
	c := loadChat(t, map[string]string{
		"fold_0_train.json": paper, "fold_0_val.json": paper, "fold_0_test.json": "{}",
		"fold_2_train.json": "{}", "fold_2_val.json": "{}", "fold_2_test.json": strings.Replace(paper, "One.", "Two.", 1), "notes.json": "3",
	})
	want := `[fold_0_val.json:1: paper "P" is in this fold already fold_1_train.json:1: the file is missing fold_1_val.json:1: the file is missing ` +
		`fold_1_test.json:1: the file is missing fold_2_test.json:1: paper "P" differs from the one in fold_0_train.json, which is used]`
	if got := fmt.Sprint(c.Faults); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := fmt.Sprint(c.Items[0].Tags); got != "[fold0:train fold0:val fold2:test]" {
		t.Errorf("tags %s", got)
	}
}

func TestArgSciChatErrors(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no files", nil, "has no file fold_0_train.json or the like"},
		{"no object", map[string]string{"fold_0_train.json": "[]"}, `fold_0_train.json:1: this begins with "[" instead of "{": an object of papers by title`},
		{"cut", map[string]string{"fold_0_train.json": "{\n\"P\": {"}, `fold_0_train.json:2: paper "P": unexpected EOF`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := argscichat.Load(chatFolder(t, tt.files), bench.Choice{}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestIntents(t *testing.T) {
	const head = "Role,Message Number,Sentence Number,Sentence,Tag\n"
	dir := chatFolder(t, map[string]string{"i.csv": head + "Proponent,0,0,Hi,Intro\nDomain Expert,1,0,\"Hi,\nthere\",Intro\nProponent,0,0,What?,Ask_Info\n" +
		"Proponent,4,0,Why?,Ask_Info\nDomain Expert,1,0,So.,Reply_Info\nJudge,0,0,x,Intro\nProponent,x,0,x,Intro\nProponent,0,-1,x,Intro\nProponent,0,0,x,Mood\n"})
	list, faults, err := argscichat.LoadIntents(filepath.Join(dir, "i.csv"))
	if err != nil || len(list) != 5 || list[3] != (argscichat.Intent{Dialogue: 1, Message: 4, Text: "Why?", Tag: "Ask_Info"}) {
		t.Fatalf("%+v, %v", list, err)
	}
	want := `[i.csv:8: column Role: "Judge" must be Proponent or Domain Expert i.csv:9: column Message Number: "x" must be a number from 0 ` +
		`i.csv:10: column Sentence Number: "-1" must be a number from 0 i.csv:11: column Tag: "Mood" must be one of Ask_Info, Ask_Suggestion, Reply_Info, ` +
		`Give_Opinion, Ask_Rebuttal, Intro, Outro i.csv:11: dialogue 1 has no message 2 i.csv:11: dialogue 1 has no message 3]`
	if got := fmt.Sprint(faults); got != want {
		t.Errorf("faults\n%s\nwant\n%s", got, want)
	}
	for name, text := range map[string]string{"other": "a,b\n", "empty": "", "uneven": head + "Proponent,0\n"} {
		if _, _, err := argscichat.LoadIntents(filepath.Join(chatFolder(t, map[string]string{name: text}), name)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
