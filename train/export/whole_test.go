package export_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit"
	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/train"
	"airqa/train/export"
	"airqa/train/preflight"
)

// chatMessage is a message of any format.
type chatMessage struct {
	Role, From, Value string
	Content           json.RawMessage
	Calls             []struct{ ID string } `json:"tool_calls"`
	CallID            string                `json:"tool_call_id"`
	Weight            *int
}

func (m chatMessage) byModel() bool {
	return m.Role == "assistant" || m.From == "gpt" || m.From == "function_call"
}

// text is what is trained, without the ids of calls.
func (m chatMessage) text() string { return m.Value + string(m.Content) }

type chatRow struct {
	ID, System              string
	Conversations, Messages []chatMessage
	Prompt, Completion      []chatMessage
}

func (r chatRow) messages() []chatMessage {
	return slices.Concat(r.Conversations, r.Messages, r.Prompt, r.Completion)
}

// targets are the texts of the trained turns by episode, in order.
func targets(t *testing.T, out string, whole bool) map[string][]string {
	t.Helper()
	by := make(map[string][]string)
	origins := linesOf[provenance](t, out, export.ProvenanceFile)
	turn := make(map[string][]int)
	for i, row := range linesOf[chatRow](t, out, "data", "train.jsonl") {
		o := origins[i]
		key := o.Run + " " + qa.EpisodeID(o.Question, o.Repeat)
		list := row.messages()
		if !whole {
			by[key], turn[key] = append(by[key], list[len(list)-1].text()), append(turn[key], o.Turn)
			continue
		}
		for _, m := range list {
			if m.byModel() && *m.Weight == 1 {
				by[key] = append(by[key], m.text())
			}
		}
	}
	for key, numbers := range turn { // rows with all keys come first
		order := slices.Clone(numbers)
		slices.Sort(order)
		sorted := make([]string, len(order))
		for i, n := range numbers {
			sorted[slices.Index(order, n)] = by[key][i]
		}
		by[key] = sorted
	}
	return by
}

// A whole episode trains the turns that are rows otherwise, once each, within its whole history.
func TestWholeEpisodes(t *testing.T) {
	made := runs(t)
	for _, f := range formats {
		for _, turns := range []train.Turns{train.Canonical, train.Raw} {
			if turns == train.Raw && f != export.OpenAI {
				continue
			}
			rules := export.Rules{Repeated: export.KeepAll, RowOptions: train.RowOptions{Turns: turns}, Filter: train.Filter{Include: []string{"wrong"}}}
			rows := write(t, export.Config{Runs: dirsOf(made), Format: f, Rules: rules})
			rules.Whole, rules.Columns = true, true
			out := write(t, export.Config{Runs: dirsOf(made), Format: f, Rules: rules})
			want, got := targets(t, rows, false), targets(t, out, true)
			if diff := cmp.Diff(want, got); diff != "" || len(got) < 20 {
				t.Errorf("%s, %s: trained turns of %d episodes (-rows +whole):\n%s", f, turns, len(got), diff)
			}
			checkWhole(t, out, f)
			trained := 0
			for _, list := range got {
				trained += len(list)
			}
			dropped := linesOf[train.Drop](t, out, export.DroppedFile)
			if all := len(allTurns(t, made)); trained+len(dropped) != all {
				t.Errorf("%s: %d turns trained, %d left out, of %d", f, trained, len(dropped), all)
			}
			card := string(read(t, out, export.CardFile))
			for _, text := range []string{"one per episode", fmt.Sprintf("| recorded | %d |", len(allTurns(t, made))), fmt.Sprintf("| trained | %d |", trained)} {
				if !strings.Contains(card, text) {
					t.Errorf("%s: the card lacks %q:\n%s", f, text, card)
				}
			}
		}
	}
}

// checkWhole checks the order, the weights and the results of calls in rows of whole episodes.
func checkWhole(t *testing.T, out string, f export.Format) {
	t.Helper()
	rows := linesOf[map[string]any](t, out, "data", "train.jsonl")
	types := make(map[string]string)
	early := 0
	for i, row := range rows {
		checkTypes(t, types, string(f), row)
		if i == 9 {
			early = len(types)
		}
	}
	checkDeclared(t, out, rows)
	if early != len(types) {
		t.Errorf("%s: %d keys in the first rows, %d in all", f, early, len(types))
	}
	if f == export.ShareGPT {
		checkShareGPT(t, out, rows)
	}
	untrained := 0
	for i, row := range linesOf[chatRow](t, out, "data", "train.jsonl") {
		list := row.messages()
		if last := list[len(list)-1]; !last.byModel() || *last.Weight != 1 {
			t.Errorf("%s: row %d ends with %+v", f, i, last)
		}
		var open []string
		for j, m := range list {
			if m.byModel() && *m.Weight == 0 {
				untrained++
			}
			if has := m.Weight != nil; has != (f != export.OpenAI || m.byModel()) || has && *m.Weight != 0 && !m.byModel() {
				t.Errorf("%s: row %d: message %d has a weight: %t", f, i, j, has)
			}
			if m.Role != "tool" && len(open) > 0 {
				t.Errorf("%s: row %d: calls %v have no result", f, i, open)
			}
			if m.Role == "tool" && f == export.OpenAI {
				at := slices.Index(open, m.CallID)
				if at < 0 {
					t.Fatalf("%s: row %d: a result of %q, open are %v", f, i, m.CallID, open)
				}
				open = slices.Delete(open, at, at+1)
				continue
			}
			open = nil
			for _, call := range m.Calls {
				open = append(open, call.ID)
			}
		}
	}
	if untrained == 0 {
		t.Errorf("%s: no turn has the weight 0: nothing is tested", f)
	}
}

// The history of a whole episode is that of the log, however few turns the model saw.
func TestWholeHistory(t *testing.T) {
	made := runs(t)[0]
	out := write(t, export.Config{Runs: []string{made.Run.Dir}, Rules: export.Rules{Repeated: export.KeepAll, Whole: true}})
	longer, origins := 0, linesOf[provenance](t, out, export.ProvenanceFile)
	for i, row := range linesOf[shareGPTRow](t, out, "data", "train.jsonl") {
		o := origins[i]
		rec, err := made.Run.Episode(o.Question, o.Repeat)
		if err != nil {
			t.Fatal(err)
		}
		replies := 0
		for _, s := range rec.Steps[:o.Turn] {
			if s.Reply != nil {
				replies++
			}
		}
		if got := len(row.Conversations); got != 2*replies {
			t.Errorf("%s: %d messages for %d replies", rec.Episode, got, replies)
		}
		shown := 0
		for _, span := range rec.Steps[o.Turn-1].Shown {
			shown += span.End - span.First
		}
		if shown < len(row.Conversations) {
			longer++
		}
	}
	if longer == 0 {
		t.Error("every history was shown to the model: nothing is tested")
	}
}

// Thinking is trained with its own turn, or in the last one alone, or not at all.
func TestWholeThinking(t *testing.T) {
	made := runs(t)[0]
	for thinking, want := range map[train.Thinking][2]bool{train.ThinkingKeep: {true, true}, train.ThinkingLast: {false, true}, train.ThinkingDrop: {false, false}} {
		rules := export.Rules{Repeated: export.KeepAll, Whole: true, RowOptions: train.RowOptions{Thinking: thinking}}
		var got [2]bool
		for _, row := range linesOf[shareGPTRow](t, write(t, export.Config{Runs: []string{made.Run.Dir}, Rules: rules}), "data", "train.jsonl") {
			for i, m := range row.Conversations {
				if m.From == "gpt" && strings.Contains(m.Value, "<think>") {
					got[map[bool]int{true: 1}[i == len(row.Conversations)-1]] = true
				}
			}
		}
		if got != want {
			t.Errorf("--thinking %s: thinking in earlier and last turns %v, want %v", thinking, got, want)
		}
	}
}

// Whole episodes are fitted by shorter observations, and those that remain too long are left out with all their turns.
func TestWholeFit(t *testing.T) {
	made := longRun(t)
	const limit = 4096
	c := export.Config{Runs: []string{made.Run.Dir}, Rules: export.Rules{Whole: true, Limit: export.Limit{Length: preflight.Length{CutoffLen: limit, Tokenizer: tokenizer}, Fit: true}}}
	out := write(t, c)
	whole := rowsByID(t, write(t, export.Config{Runs: []string{made.Run.Dir}, Rules: export.Rules{Whole: true}}))
	shortened := 0
	fitted := rowsByID(t, out)
	for id, row := range fitted {
		if n := measure(t, row, tokenizer); n > limit {
			t.Errorf("%s: %d tokens", id, n)
		}
		if len(row.Conversations) != len(whole[id].Conversations) {
			t.Errorf("%s: %d messages of %d", id, len(row.Conversations), len(whole[id].Conversations))
		}
		if strings.Contains(text1(row), "bytes left out]") {
			shortened++
		}
	}
	trained := 0
	for _, list := range targets(t, out, true) {
		trained += len(list)
	}
	d := drops(t, out)
	if n := len(linesOf[train.Drop](t, out, export.DroppedFile)); shortened == 0 || trained+n != len(allTurns(t, []recordtest.Made{made})) {
		t.Errorf("%d shortened, %d trained, %d left out (%v)", shortened, trained, n, d)
	}
	if yaml := string(read(t, out, "llamafactory.yaml")); strings.Contains(yaml, "mask_history") || !strings.Contains(yaml, "cutoff_len: 4096") {
		t.Errorf("configuration:\n%s", yaml)
	}
	c.CutoffLen, c.Out = 1500, recordtest.Dir(t, "out")
	if _, err := export.Write(c); err == nil && drops(t, c.Out)[export.TooLong] <= d[export.TooLong] || len(whole) <= len(fitted)-1 {
		t.Errorf("error %v, left out %v", err, d)
	}
}

// Nothing private is left in the history.
func TestWholePrivate(t *testing.T) {
	for i, p := range []qa.Protocol{qa.ReActText, qa.NativeTools, qa.Mixed} {
		made := recordtest.Make(t, recordtest.Config{
			Dir: filepath.Join(t.TempDir(), "run"), Baseline: "agentic-hybrid", Settings: protocol(p), Seed: uint64(i), Repeats: 6, Questions: 6,
			Shared: 1, Scored: true, Thinking: true, Interrupt: true, Private: private, Redact: redactAlice,
		})
		for _, f := range formats {
			rules := export.Rules{Whole: true, Columns: true, RedactEmails: true}
			rows := linesOf[map[string]any](t, write(t, export.Config{Runs: []string{made.Run.Dir}, Format: f, Redact: redactAlice, Rules: rules}), "data", "train.jsonl")
			for _, row := range rows {
				checkTurns(t, row)
			}
			if len(rows) < 3 {
				t.Errorf("%s: %d rows are too few to test anything", f, len(rows))
			}
		}
	}
}

// Lists of ids name whole episodes by themselves and by their turns, and turns by their episodes.
func TestWholeIDs(t *testing.T) {
	made := runs(t)[:1]
	c := export.Config{Runs: dirsOf(made), Rules: export.Rules{Repeated: export.KeepAll, SplitOptions: train.SplitOptions{Split: []float64{0.5, 0.5}}}}
	rows := write(t, c)
	c.Whole = true
	whole := write(t, c)
	episode := idsIn(t, whole)[1]
	var origin provenance
	for _, o := range linesOf[provenance](t, whole, export.ProvenanceFile) {
		if o.ID == episode {
			origin = o
		}
	}
	var turns []string
	for _, o := range linesOf[provenance](t, rows, export.ProvenanceFile) {
		if o.Question == origin.Question && o.Repeat == origin.Repeat {
			turns = append(turns, o.ID)
		}
	}
	slices.Sort(turns)
	c.Split, c.IDs = nil, filepath.Join(t.TempDir(), "ids")
	for name, want := range map[string]map[bool][]string{episode: {true: {episode}, false: turns}, turns[0]: {true: {episode}, false: turns[:1]}} {
		if err := os.WriteFile(c.IDs, []byte(name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c.Whole = range slices.Collect(maps.Keys(want)) {
			got := idsIn(t, write(t, c))
			slices.Sort(got)
			if diff := cmp.Diff(want[c.Whole], got); diff != "" {
				t.Errorf("whole %t, list of %s (-want +got):\n%s", c.Whole, name, diff)
			}
		}
	}
}

// Equal episodes are one row, the best are ranked as rows are, and other formats have no whole episodes.
func TestWholeSelection(t *testing.T) {
	made := recordtest.Make(t, recordtest.Config{
		Dir: recordtest.Dir(t, "run"), Baseline: "agentic-hybrid", Questions: 4, Repeats: 6, Shared: 20, Scored: true, Seed: 3,
	})
	c := export.Config{Runs: []string{made.Run.Dir}, Rules: export.Rules{Whole: true, Filter: train.Filter{BestOf: 1}}}
	out := write(t, c)
	if d := drops(t, out); d["duplicate"] == 0 || d["best_of"] != 0 {
		t.Errorf("left out: %v", d)
	}
	c.Repeated = export.KeepAll
	if d := drops(t, write(t, c)); d["duplicate"] != 0 || d["best_of"] == 0 {
		t.Errorf("with duplicates left out: %v", d)
	}
	for _, f := range []export.Format{export.DPO, export.KTO, export.ATIF, export.Parquet} {
		c.Format, c.Out = f, recordtest.Dir(t, "out")
		if _, err := export.Write(c); err == nil || !strings.Contains(err.Error(), "whole episodes are rows of") {
			t.Errorf("%s: error %v", f, err)
		}
	}
}

// Every row of a smaller set of episodes is in the larger ones, and validation is the same in all, in every format.
func TestEpisodes(t *testing.T) {
	made := runs(t)
	for _, f := range export.Formats() {
		if f == export.DPO {
			continue
		}
		for _, whole := range []bool{false, f == export.TRL} {
			var smaller map[export.Split][]string
			for _, n := range []int{1, 3, 5}[:testkit.Rounds(2, 3)] {
				c := export.Config{Runs: dirsOf(made), Format: f, Draw: n, Rules: export.Rules{SplitOptions: train.SplitOptions{Split: []float64{0.6, 0.4}, SplitSeed: 7}, Whole: whole}}
				c.Include = []string{"wrong"}
				rows, episodes := make(map[export.Split][]string), make(map[string]bool)
				for _, row := range linesOf[struct {
					ID, Run, Question string
					Split             export.Split
					Repeat            int
				}](t, write(t, c), export.ProvenanceFile) {
					rows[row.Split] = append(rows[row.Split], row.ID)
					if row.Split == export.Train {
						episodes[fmt.Sprint(row.Run, row.Question, row.Repeat)] = true
					}
				}
				slices.Sort(rows[export.Validation])
				if len(episodes) != n || len(rows[export.Validation]) == 0 {
					t.Errorf("%s: %d episodes, want %d; %d rows for validation", f, len(episodes), n, len(rows[export.Validation]))
				}
				for _, id := range smaller[export.Train] {
					if !slices.Contains(rows[export.Train], id) {
						t.Errorf("%s, %d episodes: row %s of the smaller set is missing", f, n, id)
					}
				}
				if smaller != nil && !slices.Equal(smaller[export.Validation], rows[export.Validation]) {
					t.Errorf("%s, %d episodes: other rows for validation", f, n)
				}
				smaller = rows
			}
		}
	}
}
