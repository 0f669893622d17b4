package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/kong"

	"airqa/internal/testkit"
)

// notRun are the commands of the documents that the test only parses, by what they need.
var notRun = []struct {
	uses   *regexp.Regexp
	reason string
}{
	{regexp.MustCompile(`\b(openai|openai-responses|anthropic|google|ollama|mistral|cohere):`), "a model's endpoint"},
	{regexp.MustCompile(`milvus://`), "a Milvus server"},
	{regexp.MustCompile(`https?://|--arxiv|--list`), "the network"},
	{regexp.MustCompile(`test_data_553\.jsonl|metadata-acl2023\.zip|DORIS-MAE_dataset|litsearch\.jsonl|both-annotations`), "the released files"},
	{regexp.MustCompile(`--python `), "an environment with a trainer"},
	{regexp.MustCompile(`^airqa view `), "Ctrl-C: it serves until then"},
	{regexp.MustCompile(`^airqa (mcp|serve) `), "a client: it serves until then"},
	{regexp.MustCompile(`^airqa bench collect --`), "Ctrl-C: it serves until then"},
	{regexp.MustCompile(`\bstudy-data\b|participants\.csv`), "the dialogues and participants of a study"},
	{regexp.MustCompile(`^go (install \./cmd/airqa|run \./cmd/airqa demo)$`), "nothing: the test binary is the program"},
	{regexp.MustCompile(`^(git clone|cd airqa$)`), "the repository's address"},
	{regexp.MustCompile(`^(go test \./\.\.\.|make check)$`), "the tests: they are running"},
}

// docCommand is a command of a fenced block, with the lines of output that the document shows below it.
type docCommand struct {
	file   string
	line   int
	text   string
	output []string
}

func (c docCommand) String() string { return fmt.Sprintf("%s:%d: %s", c.file, c.line, c.text) }

// docPages are the documents with commands.
func docPages(t *testing.T) map[string]string {
	t.Helper()
	pages := make(map[string]string)
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/formats/*.md"} {
		files, err := filepath.Glob("../../" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no file, %v", pattern, err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pages[strings.TrimPrefix(filepath.ToSlash(file), "../../")] = string(raw)
		}
	}
	return pages
}

// docCommands are the commands of the blocks "sh" (every line) and "console" (the lines that begin with "$ ").
func docCommands(t *testing.T, file, page string) []docCommand {
	t.Helper()
	var commands []docCommand
	kind, inside := "", false
	for i, line := range strings.Split(page, "\n") {
		fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		text, prompted := strings.CutPrefix(line, "$ ")
		switch {
		case isFence:
			inside = !inside
			kind = fence
		case !inside || line == "":
		case kind == "console" && prompted, kind == "sh" && !strings.HasPrefix(line, "#"):
			commands = append(commands, docCommand{file: file, line: i + 1, text: text})
		case kind == "console" && len(commands) > 0:
			c := &commands[len(commands)-1]
			c.output = append(c.output, line)
		case strings.HasPrefix(text, "airqa "):
			t.Errorf("%s:%d: a command in a block that is neither sh nor console", file, i+1)
		}
	}
	return commands
}

// The commands of the documents do what the documents show: those that need no endpoint, server or network are run, in the
// order of the page, in a folder where the README's set-up was made.
func TestDocCommands(t *testing.T) {
	pages := docPages(t)
	ran := 0
	for _, file := range slices.Sorted(maps.Keys(pages)) {
		commands := docCommands(t, file, pages[file])
		runs := slices.DeleteFunc(slices.Clone(commands), func(c docCommand) bool { return whyNotRun(c.text) != "" })
		ran += len(runs)
		for _, c := range commands {
			if whyNotRun(c.text) != "" {
				parseDocCommand(t, c)
			}
		}
		if len(runs) > 0 {
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				testkit.Long(t, "types every command of a page")
				dir := t.TempDir()
				if err := os.CopyFS(filepath.Join(dir, "airqa-demo"), os.DirFS(demoResults(t))); err != nil {
					t.Fatal(err)
				}
				linkFixtures(t, dir)
				for _, c := range runs {
					runDocCommand(t, dir, c)
				}
			})
		}
	}
	if ran < 15 {
		t.Errorf("only %d commands were run: are the blocks still marked sh and console?", ran)
	}
}

// linkFixtures puts the repository's fixtures into a folder, as a checkout has them.
func linkFixtures(t *testing.T, dir string) {
	t.Helper()
	fixtures, err := filepath.Abs("../../fixtures")
	if err == nil {
		err = os.Symlink(fixtures, filepath.Join(dir, "fixtures"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// demoResults is what airqa demo makes: made once for all tests, so not to be changed.
func demoResults(t *testing.T) string {
	t.Helper()
	data := ingested(t)
	made := filepath.Join(filepath.Dir(sample.dir), "airqa-demo")
	demoOnce.Do(func() {
		if err := os.CopyFS(filepath.Join(mkdir(t, made), "data"), os.DirFS(data)); err != nil {
			t.Fatal(err)
		}
		if out, err := docShell(t, filepath.Dir(made), "airqa demo").CombinedOutput(); err != nil {
			t.Fatalf("airqa demo: %v\n%s", err, out)
		}
	})
	return made
}

var demoOnce sync.Once

func mkdir(t *testing.T, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func whyNotRun(command string) string {
	for _, rule := range notRun {
		if rule.uses.MatchString(command) {
			return rule.reason
		}
	}
	return ""
}

// docShell runs a command as a new user's shell does: no settings, no keys, the program on the path.
func docShell(t *testing.T, dir, command string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "AIRQA_") || strings.HasSuffix(name, "_BASE_URL") || strings.HasSuffix(name, "_API_KEY")
	})
	return cmd
}

// runDocCommand runs a command. Each line of output that the document shows must come, in this order; "…" matches
// anything.
func runDocCommand(t *testing.T, dir string, c docCommand) {
	t.Helper()
	raw, err := docShell(t, dir, c.text).CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v\n%s", c, err, raw)
	}
	rest := string(raw)
	for _, line := range c.output {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*")
		at := regexp.MustCompile(`(?m)^` + pattern + `\s*$`).FindStringIndex(rest)
		if at == nil {
			t.Errorf("%s\ndoes not print %q here:\n%s", c, line, rest)
			return
		}
		rest = rest[at[1]:]
	}
}

// parseDocCommand checks the commands and flags of a line that is not run.
func parseDocCommand(t *testing.T, c docCommand) {
	t.Helper()
	found := false
	for part := range strings.SplitSeq(strings.Replace(c.text, "go run ./cmd/airqa ", "airqa ", 1), " | ") {
		words := shellWords(part)
		for len(words) > 0 && regexp.MustCompile(`^[A-Z_]+=`).MatchString(words[0]) {
			words = words[1:]
		}
		if len(words) > 0 && words[0] == "airqa" {
			found = true
			if err := parseArgs(t, words[1:]); err != nil {
				t.Errorf("%s\n%v", c, err)
			}
		}
	}
	if !found && !strings.HasPrefix(c.text, "go ") && !strings.HasPrefix(c.text, "make ") && !strings.HasPrefix(c.text, "git clone ") && c.text != "cd airqa" {
		t.Errorf("%s\nis no command of airqa", c)
	}
}

// parseArgs parses a command line in a folder without files.
func parseArgs(t *testing.T, args []string) error {
	t.Helper()
	parser, err := quietParser()
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(args)
	return err
}

// inlineCommand is a command in backquotes within a sentence. It may be a fragment.
var inlineCommand = regexp.MustCompile("`airqa ([^`]+)`")

// The commands that sentences mention have flags and arguments that the program knows; required ones may be left out.
func TestInlineDocCommands(t *testing.T) {
	pages := docPages(t)
	inFolderWithRun(t)
	n := 0
	for _, file := range slices.Sorted(maps.Keys(pages)) {
		for _, found := range inlineCommand.FindAllStringSubmatch(pages[file], -1) {
			text := strings.NewReplacer("\n", " ", "[", "", "]", "", "...", "", "…", "").Replace(found[1])
			if strings.HasPrefix(text, "COMMAND") {
				continue
			}
			n++
			var parse *kong.ParseError
			err := parseArgs(t, shellWords(text))
			if errors.As(err, &parse) && regexp.MustCompile(`^unknown flag|^unexpected (argument|token)`).MatchString(err.Error()) {
				t.Errorf("%s: airqa %s: %v", file, text, err)
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d commands found", n)
	}
}

// shellWords splits a command line at spaces outside quotes, up to a comment or a redirection.
func shellWords(line string) []string {
	var words []string
	for _, m := range regexp.MustCompile(`(?:'[^']*'|"(?:\\.|[^"])*"|[^\s'"])+`).FindAllString(line, -1) {
		if m[0] == '#' || m[0] == '>' {
			break
		}
		words = append(words, strings.Trim(m, `'"`))
	}
	return words
}
