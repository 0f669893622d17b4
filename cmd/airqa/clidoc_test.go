package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"airqa/internal/settings"

	"github.com/alecthomas/kong"

	"airqa/internal/terminal"
)

// docWidth is the length of the lines of cli.md.
const docWidth = 112

const cliDocHead = "# Command line\n\n" + `Every command and flag, for those who read them outside a terminal. A release contains this page.

A flag takes its value from the first of these that has one:

1. the command line
2. the variable listed with the flag
3. the file that ` + "`--config`" + ` names
4. your own settings file, ` + "`~/.config/airqa/airqa.yaml`" + ` (on macOS ` + "`~/Library/Application Support/airqa/airqa.yaml`" + `)
5. the default

A settings file has a key for each flag, under the name of the command, or at the top for every command:

` + "```yaml" + `
data: papers
run:
  turns: 10
` + "```" + `

[Environment variables](environment.md) that belong to no flag have a page of their own.

Results go to standard output, everything else to standard error. [JSON output](json.md) is described field by field.

| exit code | meaning |
| --- | --- |
| 0 | done |
| 1 | failed |
| 2 | wrong use |
| 3 | finished, with failed examples |
| 4 | budget reached |
| 5 | a synthesis ran out of candidates before it had all rows |
| 130 | interrupted |
`

// The page and the manual of a release have every command, and the page is less than a third of the documents. They are written
// to the folder AIRQA_TEST_DOCS.
func TestCLIDoc(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	inFolderWithRun(t)
	parser, err := kong.New(&cli{}, options(settings.Open(""))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	var b strings.Builder
	b.WriteString(cliDocHead + "\n## Every command\n\n")
	for _, f := range parser.Model.Flags {
		writeFlag(&b, f)
	}
	group, described := "", make(map[string]string)
	for _, top := range parser.Model.Children {
		if title := strings.TrimSuffix(top.Group.Title, ":"); title != group {
			group = title
			fmt.Fprintf(&b, "\n## %s\n", group)
		}
		if top.Hidden {
			continue
		}
		for _, node := range append(top.Leaves(true), top)[:max(1, len(top.Leaves(true)))] {
			writeCommand(&b, node, described)
		}
	}
	page, man := b.String(), manPage(parser.Model.Node)
	for _, node := range parser.Model.Leaves(true) {
		if !strings.Contains(page, "\n### "+node.FullPath()+"\n") || !strings.Contains(man, "\n.SS "+roff(node.FullPath())+"\n") {
			t.Errorf("%s is missing", node.FullPath())
		}
	}
	documents := 0
	for _, text := range docPages(t) {
		documents += strings.Count(text, "\n")
	}
	if n := strings.Count(page, "\n"); n > documents/3 {
		t.Errorf("cli.md has %d lines, the documents have %d: shorten the help", n, documents)
	}
	if folder := os.Getenv("AIRQA_TEST_DOCS"); folder != "" {
		err := errors.Join(os.WriteFile(filepath.Join(folder, "cli.md"), []byte(page), 0o644), os.WriteFile(filepath.Join(folder, "airqa.1"), []byte(man), 0o644))
		if err != nil {
			t.Fatal(err)
		}
	}
}

// manPage is airqa.1.
func manPage(app *kong.Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH AIRQA 1 \"\" %q\n", program)
	b.WriteString(".SH NAME\nairqa \\- " + roff(strings.ToLower(app.Help[:1])+strings.TrimSuffix(app.Help[1:], ".")) + "\n")
	b.WriteString(".SH SYNOPSIS\n.B airqa\nCOMMAND [ARGUMENT]... [FLAG]...\n.SH COMMANDS\n")
	for _, top := range app.Children {
		if top.Hidden {
			continue
		}
		for _, node := range append(top.Leaves(true), top)[:max(1, len(top.Leaves(true)))] {
			writeManCommand(&b, node)
		}
	}
	b.WriteString(".SH FILES\n.TP\n.I ~/.config/airqa/airqa.yaml\nYour own settings: a key for each flag, at the top or under the name of a command.\n" +
		".TP\n.I .env\nAPI keys as NAME=VALUE, read where the environment does not set them.\n")
	b.WriteString(".SH EXIT STATUS\n")
	for row := range strings.SplitSeq(cliDocHead[strings.Index(cliDocHead, "| 0 |"):], "\n") {
		if cells := strings.Split(row, "|"); len(cells) == 4 {
			fmt.Fprintf(&b, ".TP\n%s\n%s\n", strings.TrimSpace(cells[1]), roff(strings.TrimSpace(cells[2])))
		}
	}
	return b.String()
}

func writeManCommand(b *strings.Builder, node *kong.Node) {
	fmt.Fprintf(b, ".SS %s\n%s\n", roff("airqa "+strings.Join(settings.CommandPath(node), " ")), roff(node.Help))
	examples, rest, _ := strings.Cut(strings.TrimPrefix(node.Detail, "Examples:\n"), "\n\n")
	fmt.Fprintf(b, ".PP\n.nf\n%s\n.fi\n", roff(strings.TrimRight(examples, "\n")))
	if rest != "" {
		fmt.Fprintf(b, ".PP\n%s\n", roff(rest))
	}
	for _, p := range node.Positional {
		fmt.Fprintf(b, ".TP\n.I %s\n%s\n", roff(p.Summary()), roff(p.Help))
	}
	for _, f := range node.Flags {
		if f.Hidden {
			continue
		}
		name := strings.TrimSpace("--" + f.Name + " " + placeholder(f))
		if f.Short != 0 {
			name = "-" + string(f.Short) + ", " + name
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(name), roff(f.Help))
	}
}

// roff escapes text for a man page.
func roff(text string) string {
	text = strings.NewReplacer("\\", "\\e", "-", "\\-").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = "\\&" + line
		}
	}
	return strings.Join(lines, "\n")
}

// writeCommand describes a command. Flags that an earlier command has are only named; described has the first command of each.
func writeCommand(b *strings.Builder, node *kong.Node, described map[string]string) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n", node.FullPath(), terminal.Wrap(node.Help, docWidth, ""))
	writeDetail(b, node.Detail)
	for _, p := range node.Positional {
		writeItem(b, "`"+p.Summary()+"`: "+p.Help)
	}
	named := make(map[string][]string)
	for _, f := range node.Flags {
		switch key := f.Name + f.Help + f.Default; {
		case f.Hidden:
		case described[key] != "":
			named[described[key]] = append(named[described[key]], "`--"+f.Name+"`")
		default:
			described[key] = node.FullPath()
			writeFlag(b, f)
		}
	}
	for _, command := range slices.Sorted(maps.Keys(named)) {
		writeItem(b, "As for "+command+": "+strings.Join(named[command], ", "))
	}
}

// writeDetail writes the examples of a command as a block, and its other paragraphs.
func writeDetail(b *strings.Builder, detail string) {
	examples, rest, _ := strings.Cut(strings.TrimPrefix(detail, "Examples:\n"), "\n\n")
	b.WriteString("```\n")
	for line := range strings.Lines(examples) {
		b.WriteString(strings.TrimPrefix(strings.TrimRight(line, "\n"), "  ") + "\n")
	}
	b.WriteString("```\n\n")
	if rest != "" {
		b.WriteString(terminal.Wrap(strings.ReplaceAll(rest, "\n", " "), docWidth, "") + "\n\n")
	}
}

// writeFlag writes a flag with its default and its variables.
func writeFlag(b *strings.Builder, f *kong.Flag) {
	name := "`--" + strings.TrimSpace(f.Name+" "+placeholder(f)) + "`"
	if f.Short != 0 {
		name = "`-" + string(f.Short) + "`, " + name
	}
	var facts []string
	if f.Required {
		facts = append(facts, "Required.")
	}
	if f.Default != "" && !f.IsBool() {
		facts = append(facts, "Default: `"+f.Default+"`.")
	}
	if len(f.Envs) > 0 {
		facts = append(facts, "`$"+strings.Join(f.Envs, "`, `$")+"`.")
	}
	writeItem(b, name+": "+strings.Join(append([]string{f.Help}, facts...), " "))
}

// placeholder is the value of a flag in the text: its choices, or a word for its type.
func placeholder(f *kong.Flag) string {
	kind := f.Target.Kind()
	switch {
	case f.IsBool():
		return ""
	case f.Enum != "":
		return strings.ReplaceAll(strings.Trim(f.Enum, ","), ",", "|")
	case f.PlaceHolder == "" && kind >= reflect.Int && kind <= reflect.Float64 && f.Target.Type().PkgPath() == "":
		return "N"
	}
	return f.FormatPlaceHolder()
}

func writeItem(b *strings.Builder, text string) {
	b.WriteString(terminal.Wrap("- "+text, docWidth, "  ") + "\n")
}
