package export

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/internal/terminal"
)

// card returns README.md: a header for load_dataset, and a description with every count.
func (p *plan) card() []byte {
	var b bytes.Buffer
	p.header(&b)
	t := &p.tally
	fmt.Fprintf(&b, "\n# Agent turns over scientific papers\n\n")
	unit, content := "turn", "A row has the messages that the\nagent saw and its turn. Only that turn is to be trained, and no turn is trained twice."
	if p.Whole {
		unit, content = "episode", "A row has all messages of an\nepisode up to the last turn to train. The turns with the weight 1 are to be trained."
	}
	fmt.Fprintf(&b, "%s in the format %s, one per %s of an agent, made by %s from %s. %s\n\n",
		terminal.Plural(t.rows, "row"), p.Format, unit, p.Program, terminal.Plural(len(t.runs), "run"), content)
	p.splitTable(&b)
	is, kept := "a row", "rows"
	if p.Whole {
		is, kept = "trained", "trained"
	}
	fmt.Fprintf(&b, "## Turns\n\nEvery turn of the runs is %s or has one reason; `dropped.jsonl` lists them.\n\n", is)
	table(&b, "turns", "number")
	line(&b, "recorded", t.trained+t.totalDropped())
	line(&b, kept, t.trained)
	for _, reason := range t.sortedReasons() {
		line(&b, "left out: `"+string(reason)+"`", t.dropped[reason])
	}
	fmt.Fprintf(&b, "\nError actions (paper, Table 7): %s.\n\n## Runs\n\n", t.errorRate())
	table(&b, "run", "baseline", "model", "episodes", "turns", "episodes with rows", "rows")
	for _, r := range t.runs {
		line(&b, cell(r.name), cell(r.Config.Shape.Baseline), cell(r.Config.Shape.ModelName()), r.episodes, r.turns, r.kept, r.rows)
	}
	b.WriteString("\n## Outcomes\n\n")
	table(&b, "outcome", "verdict", "episodes", "turns", "episodes with rows", "rows")
	ends := slices.SortedFunc(maps.Keys(t.endings), func(a, b ending) int {
		return cmp.Or(cmp.Compare(a.outcome, b.outcome), cmp.Compare(a.verdict, b.verdict))
	})
	for _, end := range ends {
		n := t.endings[end]
		line(&b, end.outcome, end.verdict, n.episodes, n.turns, n.kept, n.rows)
	}
	b.WriteString("\n")
	p.content(&b)
	p.settings(&b)
	return b.Bytes()
}

// configName is the name under which load_dataset knows the files of an encoder.
func configName(i int, enc encoder) string {
	if i == 0 {
		return "default"
	}
	return enc.dir
}

// header writes the metadata: the types of all columns, the files, and what the Hub lists.
func (p *plan) header(b *bytes.Buffer) {
	b.WriteString("---\n")
	p.describe(b, encoders(p.Format), "")
	fmt.Fprintf(b, "license: %s\nsize_categories:\n- %s\ntask_categories:\n- text-generation\ntags:\n- airqa\n- agent\n- %s\n---\n",
		cmp.Or(p.License, "unknown"), sizeCategory(p.rows), p.Format)
}

// describe writes the types of columns and the names of files, without the folder in front. The hash of the data is for
// datasets, whose cache knows an export by the names of its folder and files and by this text, not by what is in them.
func (p *plan) describe(b *bytes.Buffer, list []encoder, folder string) {
	for i, enc := range list {
		if enc.form == "" {
			continue
		}
		if i == 0 {
			b.WriteString("dataset_info:\n")
		}
		fmt.Fprintf(b, "- config_name: %s\n  features:\n", configName(i, enc))
		p.schemas[i].write(b, "  ")
	}
	b.WriteString("configs:\n")
	for i, enc := range list {
		sums, paths := sha256.New(), ""
		for _, split := range splitNames {
			name := fmt.Sprintf("%s/%s%s", enc.dir, split, suffix(p.Format))
			at := slices.IndexFunc(p.folder.files, func(f FileEntry) bool { return f.Name == name })
			if p.division.Rows[string(split)] > 0 && at >= 0 {
				_, _ = sums.Write([]byte(p.folder.files[at].SHA256))
				paths += fmt.Sprintf("  - split: %s\n    path: %s\n", split, strings.TrimPrefix(name, folder))
			}
		}
		fmt.Fprintf(b, "- config_name: %s\n  description: sha256 %x\n  data_files:\n%s", configName(i, enc), sums.Sum(nil), paths)
	}
}

// sizeCategory is the name that the Hub gives to a number of rows.
func sizeCategory(rows int) string {
	names := []string{"n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M"}
	i := 0
	for limit := 1000; rows >= limit && i < len(names)-1; limit *= 10 {
		i++
	}
	return names[i]
}

func table(b *bytes.Buffer, columns ...string) {
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
}

func line(b *bytes.Buffer, cells ...any) {
	for _, c := range cells {
		fmt.Fprintf(b, "| %v ", c)
	}
	b.WriteString("|\n")
}

func (p *plan) splitTable(b *bytes.Buffer) {
	unknown := make(map[string]bool)
	b.WriteString("## Splits\n\n")
	table(b, "split", "rows", "episodes", "questions", "papers")
	for _, split := range splitNames {
		rows, episodes := 0, 0
		questions, papers := make(map[string]bool), make(map[string]bool)
		for _, k := range p.kept {
			if k.split != split {
				continue
			}
			rows += len(k.rows)
			episodes++
			questions[k.uuid] = true
			of := k.example().Papers()
			for _, paper := range of {
				papers[paper] = true
			}
			if len(of) == 0 {
				unknown[k.uuid] = true
			}
		}
		if rows > 0 {
			line(b, split, rows, episodes, len(questions), len(papers))
		}
	}
	claim := "No question and no paper is in two splits"
	if n := len(unknown); n > 0 && len(p.division.Rows) > 1 {
		claim = fmt.Sprintf("No question is in two splits, nor is a paper that is known to be the subject of a question. "+
			"%s without a known paper may be about a paper of another split", terminal.Plural(n, "question"))
	}
	fmt.Fprintf(b, "\n%s: %s.\n\n", claim, p.division)
}

// errorRate describes the error actions before and after the removal of turns.
func (t *tally) errorRate() string {
	unit := "rows"
	if t.trained != t.rows {
		unit = "trained turns"
	}
	return fmt.Sprintf("%d of %d actions of the selected episodes (%s), %d of %d %s (%s)",
		t.errors, t.selected, percent(t.errors, t.selected), t.trainedErrors, t.trained, unit, percent(t.trainedErrors, t.trained))
}

func (p *plan) content(b *bytes.Buffer) {
	t := &p.tally
	fmt.Fprintf(b, "## Content\n\n- %s on %s", terminal.Plural(len(t.questions), "question"), terminal.Plural(len(t.papers), "paper"))
	if t.paperless > 0 {
		fmt.Fprintf(b, "; %d without a known paper", t.paperless)
	}
	b.WriteString(".\n")
	if p.License == "" {
		b.WriteString("- Licence of this data set: none was chosen.\n")
	}
	fmt.Fprintf(b, "- Licences of the papers: unknown. Observations contain their text.\n")
	if len(t.tags) > 0 {
		fmt.Fprintf(b, "- Questions by tag: %s.\n", counted(t.tags, cell))
	}
	for _, note := range p.notes() {
		fmt.Fprintf(b, "- %s.\n", note)
	}
	b.WriteString("\n")
}

// notes describe what was changed in the texts, and the tokens.
func (p *plan) notes() (list []string) {
	t := &p.tally
	if len(t.changed) > 0 {
		list = append(list, "Words that trainers read as commands, changed by a space after the first character: "+counted(t.changed, codeSpan))
	}
	if len(t.private) > 0 {
		private := make(map[string]int)
		for kind, n := range t.private {
			private[string(kind)] = n
		}
		list = append(list, "Redacted: "+counted(private, cell))
	}
	if p.Format == KTO {
		right, wrong := t.labels()
		list = append(list, fmt.Sprintf("Labels: %d rows of right episodes, %d of wrong ones", right, wrong))
	}
	if t.untrained > 0 {
		note := fmt.Sprintf("Turns in the rows that are not to be trained, with the weight 0: %d", t.untrained)
		if p.Format != OpenAI {
			note += ". LLaMA-Factory and TRL ignore the weight, and train them"
		}
		list = append(list, note)
	}
	if p.fitter == nil {
		return list
	}
	return append(list, p.fitter.note(p.Format, p.measured))
}

// counted lists counts by name.
func counted(counts map[string]int, name func(string) string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", name(key), counts[key]))
	}
	return strings.Join(parts, ", ")
}

func codeSpan(s string) string { return "`" + clean(s) + "`" }

func (p *plan) settings(b *bytes.Buffer) {
	b.WriteString("## Settings\n\n")
	table(b, "setting", "value")
	var rules map[string]json.RawMessage
	if json.Unmarshal(p.inputs.Rules, &rules) != nil {
		panic("export: the rules are not an object") // see Config.record
	}
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		line(b, name, cell(string(rules[name])))
	}
	if as := p.inputs.AsInPaper; as != nil {
		line(b, "differences from the paper", cell(cmp.Or(strings.Join(as.Differs, "; "), "none")))
	}
	for _, s := range p.sources {
		if s.input.Scoring != "" {
			line(b, "scores of "+cell(s.name), cell(s.input.Scoring+", judge "+s.input.Judge))
		}
	}
}
