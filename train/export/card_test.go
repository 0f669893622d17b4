package export_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/train"
	"airqa/train/export"
)

// Every number of the card is counted again from ids.txt, dropped.jsonl and the logs of the runs.
func TestCard(t *testing.T) {
	made := runs(t)
	configs := map[string]export.Config{
		"default":  {},
		"splits":   {Rules: export.Rules{SplitOptions: train.SplitOptions{Split: []float64{0.5, 0.5}}}},
		"selected": {Rules: export.Rules{Repeated: export.KeepAll}},
	}
	all := configs["selected"]
	all.Include, all.MaxPerQuestion, all.MinTurns = []string{"wrong"}, 3, 2
	configs["selected"] = all
	all.Errors = train.KeepErrors
	configs["with error actions"] = all
	for name, c := range configs {
		c.Runs = dirsOf(made)
		out := write(t, c)
		card := string(read(t, out, export.CardFile))
		want := recount(t, made, out, c)
		if diff := cmp.Diff(want, numbersOf(t, card)); diff != "" {
			t.Errorf("%s (-recounted +card):\n%s", name, diff)
		}
	}
}

// The cache of datasets tells folders of one name apart by the header of the card alone: headers of equal data are equal,
// those of other data differ, in every format.
func TestHeaderNamesItsData(t *testing.T) {
	made := runs(t)
	for _, f := range export.Formats() {
		written := func(runs []recordtest.Made) string {
			c := export.Config{Runs: dirsOf(runs), Format: f}
			c.Include, c.Repeated = []string{"wrong"}, export.KeepAll
			return write(t, c)
		}
		header := func(dir, name string) string {
			head, _, _ := strings.Cut(strings.TrimPrefix(string(read(t, dir, name)), "---"), "---")
			return regexp.MustCompile(`size_categories[^t]*`).ReplaceAllString(head, "")
		}
		names := []string{export.CardFile}
		if f == export.TRL || f == export.DPO || f == export.KTO { // trl.yaml names this folder
			names = append(names, "data/"+export.CardFile)
		}
		whole, part, again := written(made[:3]), written(made[:2]), written(made[:3])
		for _, name := range names {
			all, less := header(whole, name), header(part, name)
			if all == less || all != header(again, name) || !strings.Contains(all, "\n  description: sha256 ") {
				t.Errorf("%s, %s: equal or unstable:\n%s", f, name, all)
			}
		}
	}
}

// numbers are the tables of a card, as rows of cells, and the numbers of its sentences.
type numbers map[string][]string

// numbersOf reads all tables but that of the settings, and all sentences with numbers.
func numbersOf(t *testing.T, card string) numbers {
	t.Helper()
	got := make(numbers)
	section := ""
	for line := range strings.Lines(card) {
		line = strings.TrimSpace(line)
		name, isSection := strings.CutPrefix(line, "## ")
		switch {
		case isSection:
			section = name
		case strings.HasPrefix(line, "|") && section != "Settings" && !strings.Contains(line, "---"):
			got[section] = append(got[section], line)
		case section != "Settings" && section != "" && strings.ContainsAny(line, "0123456789"):
			got[section+" sentences"] = append(got[section+" sentences"], line)
		}
	}
	if len(got) < 5 {
		t.Fatalf("only %d sections in the card:\n%s", len(got), card)
	}
	return got
}

type key struct{ outcome, verdict string }

// count sums up turns, or something like them.
type count struct{ episodes, turns, kept, rows int }

func (c count) String() string {
	return fmt.Sprintf("%d | %d | %d | %d", c.episodes, c.turns, c.kept, c.rows)
}

// recount makes the same lines from the files of the export and the logs alone.
func recount(t *testing.T, made []recordtest.Made, out string, c export.Config) numbers {
	t.Helper()
	kept, reasons := make(map[string]bool), make(map[train.Reason]int)
	dropped := make(map[string]train.Reason)
	for _, id := range idsIn(t, out) {
		kept[id] = true
	}
	for _, d := range linesOf[train.Drop](t, out, export.DroppedFile) {
		dropped[d.ID] = d.Reason
		reasons[d.Reason]++
	}
	want := make(numbers)
	endings := make(map[key]count)
	questions, papers, tags := make(map[string]bool), make(map[string]bool), make(map[string]int)
	selected, errors, trained := 0, 0, 0
	want["Runs"] = []string{"| run | baseline | model | episodes | turns | episodes with rows | rows |"}
	for _, m := range made {
		run, err := train.OpenRun(m.Run)
		if err != nil {
			t.Fatal(err)
		}
		var sum count
		for rec, err := range m.Run.Episodes() {
			if err != nil {
				t.Fatal(err)
			}
			n := count{episodes: 1, turns: rec.Turns()}
			chosen := true
			for i, s := range rec.Steps {
				if s.Reply == nil {
					continue
				}
				id := run.Turn(rec, i)
				if kept[id] {
					n.rows++
				}
				chosen = chosen && !slices.Contains([]train.Reason{"wrong", "turns"}, dropped[id])
			}
			if chosen {
				for i := range rec.Steps {
					_, fault, acts := qa.ActionResult(rec.Steps, i)
					if acts {
						selected++
					}
					if fault != "" {
						errors++
						if kept[run.Turn(rec, i)] {
							trained++
						}
					}
				}
			}
			if n.rows > 0 {
				n.kept = 1
				ex := m.Examples[slices.IndexFunc(m.Examples, func(ex qa.Example) bool { return ex.UUID == rec.UUID })]
				for _, tag := range ex.Tags {
					if !questions[rec.UUID] {
						tags[tag]++
					}
				}
				questions[rec.UUID] = true
				for _, p := range ex.Papers() {
					papers[p] = true
				}
			}
			verdict := "wrong"
			if rec.Answer.Text == "42" {
				verdict = "right"
			}
			at := key{string(rec.Outcome), verdict}
			endings[at] = plus(endings[at], n)
			sum = plus(sum, n)
		}
		shape := m.Run.Config.Shape
		want["Runs"] = append(want["Runs"], fmt.Sprintf("| %s | %s | %s | %s |", base(m.Run.Dir), shape.Baseline, shape.ModelName(), sum))
	}
	want["Outcomes"] = []string{"| outcome | verdict | episodes | turns | episodes with rows | rows |"}
	for _, at := range slices.SortedFunc(maps.Keys(endings), func(a, b key) int { return strings.Compare(a.outcome+" "+a.verdict, b.outcome+" "+b.verdict) }) {
		want["Outcomes"] = append(want["Outcomes"], fmt.Sprintf("| %s | %s | %s |", at.outcome, at.verdict, endings[at]))
	}
	want["Turns"] = []string{"| turns | number |", fmt.Sprintf("| recorded | %d |", len(kept)+len(dropped)), fmt.Sprintf("| rows | %d |", len(kept))}
	for _, r := range slices.SortedFunc(maps.Keys(reasons), func(a, b train.Reason) int {
		if reasons[a] != reasons[b] {
			return reasons[b] - reasons[a]
		}
		return strings.Compare(string(a), string(b))
	}) {
		want["Turns"] = append(want["Turns"], fmt.Sprintf("| left out: `%s` | %d |", r, reasons[r]))
	}
	want["Turns sentences"] = []string{fmt.Sprintf("Error actions (paper, Table 7): %d of %d actions of the selected episodes (%.2f%%), %d of %d rows (%.2f%%).",
		errors, selected, 100*float64(errors)/float64(selected), trained, len(kept), 100*float64(trained)/float64(len(kept)))}
	want["Splits"], want["Splits sentences"] = splitLines(t, out)
	want["Content sentences"] = []string{fmt.Sprintf("- %d questions on %d papers.", len(questions), len(papers)), tagLine(tags), changedLine(t, out)}
	return want
}

func plus(a, b count) count {
	return count{a.episodes + b.episodes, a.turns + b.turns, a.kept + b.kept, a.rows + b.rows}
}

func base(dir string) string { return dir[strings.LastIndex(dir, "/")+1:] }

func tagLine(tags map[string]int) string {
	var parts []string
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		parts = append(parts, tag+" "+strconv.Itoa(tags[tag]))
	}
	return "- Questions by tag: " + strings.Join(parts, ", ") + "."
}

// changedLine counts the changed words in the rows.
func changedLine(t *testing.T, out string) string {
	t.Helper()
	counts := make(map[string]int)
	for _, split := range []string{"train", "validation"} {
		raw := read(t, out, "data", split+".jsonl")
		for _, m := range regexp.MustCompile(`< (image>|\|im_end\|>)`).FindAllSubmatch(raw, -1) {
			counts["<"+string(m[1])]++
		}
		if !strings.Contains(string(read(t, out, export.ProvenanceFile)), `"split":"validation"`) {
			break
		}
	}
	return fmt.Sprintf("- Words that trainers read as commands, changed by a space after the first character: `<image>` %d, `<|im_end|>` %d.", counts["<image>"], counts["<|im_end|>"])
}

// splitLines counts rows, episodes, questions and papers by split, and the groups that share a paper.
func splitLines(t *testing.T, out string) (lines, sentences []string) {
	t.Helper()
	type set = map[string]bool
	rows, episodes, questions, papers := make(map[string]int), make(map[string]set), make(map[string]set), make(map[string]set)
	byPaper := make(map[string]int)
	total := 0
	for _, o := range linesOf[struct {
		Split, Run, Question string
		Repeat               int
		Papers               []string
	}](t, out, export.ProvenanceFile) {
		if episodes[o.Split] == nil {
			episodes[o.Split], questions[o.Split], papers[o.Split] = make(set), make(set), make(set)
		}
		rows[o.Split]++
		total++
		episodes[o.Split][fmt.Sprint(o.Run, o.Question, o.Repeat)] = true
		questions[o.Split][o.Question] = true
		for _, p := range o.Papers {
			papers[o.Split][p] = true
			byPaper[p]++ // every question of these runs has one paper
		}
	}
	lines = []string{"| split | rows | episodes | questions | papers |"}
	for _, split := range []string{"train", "validation", "test"} {
		if rows[split] > 0 {
			lines = append(lines, fmt.Sprintf("| %s | %d | %d | %d | %d |", split, rows[split], len(episodes[split]), len(questions[split]), len(papers[split])))
		}
	}
	largest := slices.Max(slices.Collect(maps.Values(byPaper)))
	return lines, []string{fmt.Sprintf("No question and no paper is in two splits: %d groups of papers and questions; the largest has %d of %d rows.", len(byPaper), largest, total)}
}
