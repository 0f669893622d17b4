package export_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"airqa/internal/terminal"
	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train"
	"airqa/train/export"
)

// scored records a run of three repeats with these verdicts: r right, w wrong, u unscored, and - for no score.
func scored(t *testing.T, c recordtest.Config, verdicts ...string) recordtest.Made {
	t.Helper()
	c.Dir, c.Baseline = recordtest.Dir(t, "run"), cmp.Or(c.Baseline, "agentic-hybrid")
	c.Questions, c.Repeats = len(verdicts), len(verdicts[0])
	made := recordtest.Make(t, c)
	var scores []qa.Score
	for i, list := range verdicts {
		for repeat, v := range list {
			s := qa.Score{UUID: fmt.Sprint("question-", i), Repeat: repeat}
			switch v {
			case 'r':
				s.Verdict, s.Value = qa.Right, 1
			case 'w':
				s.Verdict = qa.Wrong
			case 'u':
				s.Verdict, s.Reason = qa.Unscored, "judge: 503"
			case '-':
				continue
			}
			scores = append(scores, s)
		}
	}
	if err := runlog.WriteScores(c.Dir, runlog.Scoring{Mode: "reference", Judge: "none"}, scores, nil); err != nil {
		t.Fatal(err)
	}
	return made
}

// origins are the episodes of the rows of an export, as "question#repeat", sorted.
func origins(t *testing.T, out string) []string {
	t.Helper()
	var list []string
	for _, o := range linesOf[provenance](t, out, export.ProvenanceFile) {
		list = append(list, fmt.Sprintf("%s#%d", strings.TrimPrefix(o.Question, "question-"), o.Repeat))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// drops counts the turns left out by reason.
func drops(t *testing.T, out string) map[train.Reason]int {
	t.Helper()
	counts := make(map[train.Reason]int)
	for _, d := range linesOf[train.Drop](t, out, export.DroppedFile) {
		counts[d.Reason]++
	}
	return counts
}

type columns struct {
	Score    *float64
	PassRate *float64 `json:"pass_rate"`
	Turns    *int
	Tokens   *int
	Repeat   *int
}

// The columns are those of the episode, never null and of one type, also without a score. OpenAI's rows have none.
func TestColumns(t *testing.T) {
	made := scored(t, recordtest.Config{Seed: 3}, "rwr", "ru-", "rrr", "---")
	want := make(map[string]columns)
	for rec, err := range made.Run.Episodes() {
		if err != nil {
			t.Fatal(err)
		}
		tokens := 0
		for _, s := range rec.Steps {
			if s.Reply != nil {
				tokens += s.Reply.Usage.Prompt + s.Reply.Usage.Completion
			}
		}
		verdict := [4]string{"rwr", "ru-", "rrr", "---"}[int(rec.UUID[len(rec.UUID)-1]-'0')][rec.Repeat]
		score := map[byte]float64{'r': 1, 'w': 0, 'u': -1, '-': -1}[verdict]
		rate := [4]float64{2. / 3, 1, 1, -1}[int(rec.UUID[len(rec.UUID)-1]-'0')]
		want[rec.Episode] = columns{&score, &rate, new(rec.Turns()), &tokens, new(rec.Repeat)}
	}
	everything := train.Filter{Include: []string{"wrong", "unscored", "scoring_failed"}}
	for _, f := range []export.Format{export.ShareGPT, export.TRL, export.KTO, export.DPO} {
		c := export.Config{Runs: []string{made.Run.Dir}, Format: f, Rules: export.Rules{Filter: everything, Repeated: export.KeepAll, Columns: true}}
		if f == export.DPO {
			c.Runs = dirsOf(runs(t))
		}
		out := write(t, c)
		rows := linesOf[columns](t, out, "data", "train.jsonl")
		for i, o := range linesOf[provenance](t, out, export.ProvenanceFile) {
			if f == export.DPO {
				break // other runs
			}
			if diff := gocmp.Diff(want[qa.EpisodeID(o.Question, o.Repeat)], rows[i]); diff != "" {
				t.Fatalf("%s: row %d of %s (-want +got):\n%s", f, i, o.Question, diff)
			}
		}
		plain := linesOf[map[string]any](t, out, "data", "train.jsonl")
		types := make(map[string]string)
		for _, row := range plain {
			checkTypes(t, types, string(f), row)
		}
		checkDeclared(t, out, plain)
		for line := range strings.SplitSeq(strings.TrimSpace(string(read(t, out, "data", "train.jsonl"))), "\n") {
			var raw map[string]json.RawMessage
			if err := json.Unmarshal([]byte(line), &raw); err != nil || !strings.Contains(string(raw["score"])+string(raw["pass_rate"]), ".") {
				t.Fatalf("%s: score %s, pass rate %s are no fractions (%v)", f, raw["score"], raw["pass_rate"], err)
			}
		}
	}
	c := export.Config{Runs: []string{made.Run.Dir}, Format: export.OpenAI}
	without := read(t, write(t, c), "data", "train.jsonl")
	c.Columns = true
	if got := read(t, write(t, c), "data", "train.jsonl"); string(got) != string(without) {
		t.Error("rows of OpenAI have further columns")
	}
}

// The pass rate counts the scored repeats of a question by one baseline and model, and a range includes its limits.
func TestPassRate(t *testing.T) {
	first := scored(t, recordtest.Config{Seed: 9}, "rwu-", "rrrr", "wwwr", "---u", "ruu-")
	second := scored(t, recordtest.Config{Seed: 9, Settings: protocol(qa.NativeTools)}, "rwww")
	other := scored(t, recordtest.Config{Seed: 9, Baseline: "agentic-hybrid-view"}, "rrrr")
	all := origins(t, write(t, export.Config{Runs: []string{first.Run.Dir, second.Run.Dir}, Rules: export.Rules{Repeated: export.KeepAll}}))
	for rates, questions := range map[string]string{
		"0.3-0.4":   "0", // 1 of 2, and 1 of 4 in the other run
		"0.25-0.25": "2",
		"1-1":       "14",
		"0.25-0.34": "02",
		"0-1":       "0124",
	} {
		want := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !strings.Contains(questions, s[:1]) })
		c := export.Config{Runs: []string{first.Run.Dir, second.Run.Dir}, Rules: export.Rules{Filter: train.Filter{PassRate: rates}, Repeated: export.KeepAll}}
		out := write(t, c)
		if diff := gocmp.Diff(want, origins(t, out)); diff != "" || len(want) < len(questions) {
			t.Errorf("%q: episodes (-want +got):\n%s", rates, diff)
		}
		if n := drops(t, out)[train.ByPassRate]; (n > 0) != (len(want) < len(all)) {
			t.Errorf("%q: %d turns left out", rates, n)
		}
		if card := string(read(t, out, export.CardFile)); strings.Contains(card, "left out: `pass_rate`") != (drops(t, out)["pass_rate"] > 0) {
			t.Errorf("%q: the card does not count what is left out:\n%s", rates, card)
		}
	}
	// Repeats of another baseline are others: they change no rate.
	c := export.Config{Runs: []string{first.Run.Dir, other.Run.Dir}, Rules: export.Rules{Filter: train.Filter{PassRate: "0.5-0.5"}, Repeated: export.KeepAll}}
	if got := strings.Join(origins(t, write(t, c)), " "); got != "0#0" {
		t.Errorf("with another baseline: episodes %s", got)
	}
	// Unscored repeats of a question without a rate are never in a range, even if they are included.
	c.Include, c.PassRate = []string{"unscored", "scoring_failed"}, "0-1"
	if got := origins(t, write(t, c)); slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "3#") }) {
		t.Errorf("a question without scored repeats is in %v", got)
	}
}

// Forks and runs with --cache are no repeats of their own, and every other run counts for the rates.
func TestPassRateOfCopy(t *testing.T) {
	c := recordtest.Config{Seed: 3}
	original := scored(t, c, "rw")
	c.Note = runlog.Note{CacheFrom: "run"}
	repeated := scored(t, c, "rr")
	out := write(t, export.Config{Runs: []string{original.Run.Dir, repeated.Run.Dir}, Rules: export.Rules{Columns: true}})
	for _, row := range linesOf[columns](t, out, "data", "train.jsonl") {
		if *row.PassRate != 0.5 {
			t.Errorf("pass rate %v", *row.PassRate)
		}
	}
}

// Of the right repeats the best are kept: by score, turns, tokens and order. Equal ones share a place unless duplicates
// are kept, and what has no row takes none.
func TestBestOf(t *testing.T) {
	made := runs(t)
	dirs := dirsOf(made)
	for _, repeated := range []export.Duplicates{export.DropNear, export.KeepAll} {
		all := write(t, export.Config{Runs: dirs, Rules: export.Rules{Repeated: repeated}})
		for n := 1; n <= 2; n++ {
			out := write(t, export.Config{Runs: dirs, Rules: export.Rules{Repeated: repeated, Filter: train.Filter{BestOf: n}}})
			kept := groups(t, out)
			for group, episodes := range groups(t, all) {
				slices.SortStableFunc(episodes, func(a, b origin) int { return cmp.Compare(a.Turns, b.Turns) })
				if repeated == export.KeepAll { // otherwise rows of one episode may be duplicates of others
					want := episodes[:min(n, len(episodes))]
					if got := kept[group]; len(got) != len(want) || got[len(got)-1].Turns > want[len(want)-1].Turns {
						t.Errorf("best %d of %s: %v, want %v", n, group, got, want)
					}
				}
				if len(kept[group]) > n || len(kept[group]) == 0 {
					t.Errorf("best %d of %s: %v of %v", n, group, kept[group], episodes)
				}
			}
			if d := drops(t, out); d["best_of"] == 0 {
				t.Errorf("%s: no turn is left out", repeated)
			}
		}
	}
}

type origin struct {
	Run, Question, Baseline, Model string
	Repeat, Turns                  int
}

// groups are the episodes of an export by question, baseline and model, in order.
func groups(t *testing.T, out string) map[string][]origin {
	t.Helper()
	by := make(map[string][]origin)
	for _, o := range linesOf[origin](t, out, export.ProvenanceFile) {
		key := o.Question + " " + o.Baseline + " " + o.Model
		if !slices.Contains(by[key], o) {
			by[key] = append(by[key], o)
		}
	}
	return by
}

// Two equal repeats and a longer one: the best two are one of the equal ones and the longer one.
func TestBestOfEqualRepeats(t *testing.T) {
	made := recordtest.Make(t, recordtest.Config{
		Dir: recordtest.Dir(t, "run"), Baseline: "agentic-hybrid", Questions: 4, Repeats: 6, Shared: 20, Scored: true, Seed: 3,
	})
	c := export.Config{Runs: []string{made.Run.Dir}, Rules: export.Rules{Repeated: export.DropExact}}
	all := idsIn(t, write(t, c))
	c.BestOf = 1
	out := write(t, c)
	if diff := gocmp.Diff(all, idsIn(t, out)); diff != "" {
		t.Errorf("of equal repeats one is kept, as without a limit (-all +best):\n%s", diff)
	}
	if d := drops(t, out); d["best_of"] != 0 || d["duplicate"] == 0 {
		t.Errorf("equal repeats are left out as %v", d)
	}
	c.Repeated = export.KeepAll
	if d := drops(t, write(t, c)); d["best_of"] == 0 || d["duplicate"] != 0 {
		t.Errorf("kept duplicates have their own places: %v", d)
	}
	c.Format, c.Repeated, c.BestOf = export.DPO, export.DropNear, 1
	if _, err := export.Write(export.Config{Runs: dirsOf(runs(t)), Format: export.DPO, Out: recordtest.Dir(t, "out"), Rules: c.Rules}); err != nil {
		t.Errorf("pairs of the best: %v", err)
	}
}

// Turns of right and of wrong episodes have labels, the same in both forms; none is right here and wrong there.
func TestKTO(t *testing.T) {
	type trl struct {
		ID                 string
		Prompt, Completion json.RawMessage
		Label              *bool
	}
	made := runs(t)
	turns := turnsOf(t, made)
	out := write(t, export.Config{Runs: dirsOf(made), Format: export.KTO, Rules: export.Rules{SplitOptions: train.SplitOptions{Split: []float64{0.6, 0.4}}, Columns: true}})
	labels := make(map[string]bool)
	count := make(map[bool]int)
	splitOf := make(map[string]string)
	for _, split := range []string{"train", "validation"} {
		pairs := linesOf[trl](t, out, "data", split+".jsonl")
		tags := linesOf[struct {
			ID            string
			Conversations []struct{ From, Value string }
			Tag           *bool `json:"kto_tag"`
		}](t, out, "sharegpt", split+".jsonl")
		for i, row := range pairs {
			if row.Label == nil || *row.Label != (turns[row.ID].verdict == qa.Right) || turns[row.ID].failed {
				t.Errorf("%s: label %v of %+v", row.ID, row.Label, turns[row.ID])
			}
			if tags[i].ID != row.ID || tags[i].Tag == nil || *tags[i].Tag != *row.Label || len(tags[i].Conversations)%2 != 0 {
				t.Errorf("%s: ShareGPT has %+v", row.ID, tags[i])
			}
			count[*row.Label]++
			content := string(row.Prompt) + string(row.Completion)
			if other, again := labels[content]; again && other != *row.Label {
				t.Errorf("%s: the same turn has both labels", row.ID)
			}
			labels[content] = *row.Label
			question := turns[row.ID].row.UUID
			if other := splitOf[question]; other != "" && other != split {
				t.Errorf("%s is in two splits", question)
			}
			splitOf[question] = split
		}
		rows := linesOf[map[string]any](t, out, "data", split+".jsonl")
		types := make(map[string]string)
		for _, row := range rows {
			checkTypes(t, types, "kto", row)
		}
		checkDeclared(t, out, rows)
	}
	if count[true] < 10 || count[false] < 10 || drops(t, out)[export.RightTurn] == 0 {
		t.Fatalf("labels %v, %v left out: too few to test anything", count, drops(t, out))
	}
	card := string(read(t, out, export.CardFile))
	if want := fmt.Sprintf("Labels: %d rows of right episodes, %d of wrong ones", count[true], count[false]); !strings.Contains(card, want) {
		t.Errorf("the card lacks %q", want)
	}
	for name, want := range map[string]string{"dataset_info.json": `"kto_tag": "kto_tag"`, "llamafactory.yaml": "stage: kto", "trl.yaml": "trl kto --config"} {
		if text := string(read(t, out, name)); !strings.Contains(text, want) {
			t.Errorf("%s lacks %q:\n%s", name, want, text)
		}
	}
	accounted := idsIn(t, out)
	for _, d := range linesOf[train.Drop](t, out, export.DroppedFile) {
		accounted = append(accounted, d.ID)
	}
	slices.Sort(accounted)
	if diff := gocmp.Diff(slices.Sorted(maps.Keys(turns)), accounted); diff != "" {
		t.Errorf("turns accounted for (-want +got):\n%s", diff)
	}
}

// A label needs a verdict, and a minimum score is that of right episodes.
func TestKTOClasses(t *testing.T) {
	made := scored(t, recordtest.Config{Seed: 3}, "rw", "u-", "ww", "rr")
	var warnings []string
	c := export.Config{
		Runs: []string{made.Run.Dir}, Format: export.KTO, Notify: func(n terminal.Notice) { warnings = append(warnings, n.String()) },
		Rules: export.Rules{Repeated: export.KeepAll, Filter: train.Filter{Include: []string{"unscored", "scoring_failed"}, MinScore: new(0.5)}},
	}
	out := write(t, c)
	if got := strings.Join(origins(t, out), " "); got != "0#0 0#1 2#0 2#1 3#0 3#1" || len(warnings) > 0 {
		t.Errorf("episodes %s, warnings %q", got, warnings)
	}
	if d := drops(t, out); d["unscored"] == 0 || d["score"] == 0 {
		t.Errorf("left out: %v", d)
	}
	c.PassRate, c.Include = "1-1", nil
	if got := strings.Join(origins(t, write(t, c)), " "); got != "3#0 3#1" || len(warnings) != 1 || !strings.Contains(warnings[0], "KTO needs both") {
		t.Errorf("episodes %s, warnings %q", got, warnings)
	}
}

// The card names the licence, or says that there is none.
func TestLicense(t *testing.T) {
	made := scored(t, recordtest.Config{Seed: 3}, "r")
	c := export.Config{Runs: []string{made.Run.Dir}}
	none := string(read(t, write(t, c), export.CardFile))
	c.License = "cc-by-4.0"
	some := string(read(t, write(t, c), export.CardFile))
	for text, want := range map[string]bool{"\nlicense: unknown\n": true, "Licence of this data set: none was chosen.": true, "\nlicense: cc-by-4.0\n": false} {
		if strings.Contains(none, text) != want || strings.Contains(some, text) == want {
			t.Errorf("%q is on the wrong card:\n%s\n%s", text, none, some)
		}
	}
}

// An episode without a row to export takes no place: here the list of ids names another one.
func TestBestOfListed(t *testing.T) {
	made := scored(t, recordtest.Config{Seed: 3}, "rrrrrr")
	c := export.Config{Runs: []string{made.Run.Dir}, Rules: export.Rules{Repeated: export.KeepAll}}
	all := origins(t, write(t, c))
	c.BestOf = 1
	best := origins(t, write(t, c))
	other := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == best[0] })
	c.IDs = filepath.Join(t.TempDir(), "ids")
	if err := os.WriteFile(c.IDs, []byte("question-"+other[0]+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := origins(t, write(t, c)); len(best) != 1 || len(got) != 1 || got[0] != other[0] {
		t.Errorf("best of %v: %v; of %s: %v", all, best, other[0], got)
	}
}
