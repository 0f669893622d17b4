package main

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"airqa/bench"
	"airqa/bench/dorismae/annotate"
	"airqa/doctor"
	"airqa/eval"
	"airqa/eval/judge"
	"airqa/extractor"
	"airqa/internal/settings"
	"airqa/internal/testkit"
	"airqa/llm/cache"
	"airqa/report"
	"airqa/report/compare"
	"airqa/report/questions"
	"airqa/run/ask"
	"airqa/run/merge"
	"airqa/run/plan"
	"airqa/run/replay"
	"airqa/run/scoring"
	"airqa/run/status"
	"airqa/trace"
	"airqa/trace/cause"
	"airqa/trace/diff"
	"airqa/train/preflight"
)

// jsonOutput is what is known of the JSON of a command: command lines that print it, run in a folder with the results of
// airqa demo, and the types that it is made from, which have the keys that those lines happen not to print.
type jsonOutput struct {
	lines []string
	types []any
}

var jsonOutputs = map[string]jsonOutput{
	"doctor": {
		[]string{"doctor -d airqa-demo/data -m offline --judge offline --json"},
		[]any{doctor.Result{}},
	},
	"ingest": {
		[]string{"ingest airqa-demo/papers -d airqa-demo/data --json"},
		[]any{ingestResult{}},
	},
	"papers list": {
		[]string{"papers -d airqa-demo/data --json"},
		[]any{paperLine{}},
	},
	"papers show": {
		[]string{"papers show -d airqa-demo/data lumen --json"},
		[]any{paperLine{}},
	},
	"papers fetch": {
		[]string{"papers fetch -d airqa-demo/data -q airqa-demo/questions.jsonl --metadata airqa-demo/papers --dry-run --json"},
		[]any{fetchReport{}},
	},
	"papers join": {
		[]string{"papers join airqa-demo/data -d joined --dry-run --json"},
		[]any{joinedPapers{}},
	},
	"papers rm": {
		[]string{"papers rm -d airqa-demo/data lumen --dry-run --json"},
		[]any{removedPapers{}},
	},
	"questions stats": {
		[]string{"questions stats airqa-demo/questions.jsonl --json"},
		[]any{questions.Stats{}},
	},
	"questions lint": {
		[]string{"questions lint faulty.jsonl --json"},
		[]any{questions.Finding{}},
	},
	"ask": {
		[]string{`ask "How many pages per second does LumenParse parse?" -d airqa-demo/data --json`},
		[]any{ask.Result{}},
	},
	"questions try": {
		[]string{"questions try airqa-demo/questions.jsonl 1e6bccdd --answer 3 --json"},
		[]any{eval.Explanation{}},
	},
	"run": {
		[]string{"run -d airqa-demo/data -q airqa-demo/questions.jsonl --baseline rag -m offline --dry-run --json"},
		[]any{plan.Dry{}},
	},
	"status": {
		[]string{"status airqa-demo/runs/rag --json"},
		[]any{status.Status{}},
	},
	"shards merge": {
		[]string{"shards merge shards --out merged --json"},
		[]any{merge.Result{}},
	},
	"score": {
		[]string{
			"score airqa-demo/runs/rag --judge offline --json",
			"score airqa-demo/runs/rag --judge offline --json --explain 1e6bccdd",
		},
		[]any{struct {
			Total scoring.Totals `json:"total"`
		}{}, eval.Explanation{}},
	},
	"report": {
		[]string{"report airqa-demo/runs --with-paper --json", "report airqa-demo/runs --training-size offline=0 --json"},
		[]any{struct {
			Runs  []report.Row        `json:"runs"`
			Paper []report.PaperTable `json:"paper"`
		}{}},
	},
	"compare": {
		[]string{"compare airqa-demo/runs/rag airqa-demo/runs/agentic-hybrid --json", "compare --min-questions 3pp --json"},
		[]any{compare.Result{}, compare.Need{}},
	},
	"synth why": {
		[]string{"synth why airqa-demo/syn --json", "synth why airqa-demo/syn retrieval-0 --json"},
		[]any{extractor.Yields{}, extractor.Story{}},
	},
	"export check": {
		[]string{"export check pairs.jsonl --json"},
		[]any{preflight.Row{}, struct {
			Total preflight.Total `json:"total"`
		}{}},
	},
	"bench stats": {
		[]string{"bench stats argscichat --dataset fixtures/argscichat --json"},
		[]any{bench.Result{}},
	},
	"bench baseline": {
		[]string{"bench baseline argscichat --dataset fixtures/argscichat --json"},
		[]any{bench.Result{}},
	},
	"bench agree": {
		[]string{"bench agree fixtures/argscichat/ratings.csv --json"},
		[]any{bench.Result{}},
	},
	"trace": {
		[]string{"trace airqa-demo/runs/agentic-hybrid --json", "trace airqa-demo/runs/agentic-hybrid --json --full"},
		[]any{trace.Row{}, trace.Traced{}},
	},
	"notes": {
		[]string{"notes airqa-demo/runs/agentic-hybrid 1e6bccdd --add text --json"},
		[]any{trace.Note{}},
	},
	"why": {
		[]string{"why airqa-demo/runs/agentic-hybrid --json"},
		[]any{cause.Row{}},
	},
	"diff": {
		[]string{
			"diff airqa-demo/runs/agentic-rag airqa-demo/runs/agentic-hybrid --json",
			"diff airqa-demo/runs/agentic-rag airqa-demo/runs/agentic-hybrid 1e6bccdd --json",
		},
		[]any{diff.Question{}, diff.Flip{}},
	},
	"replay": {
		[]string{"replay airqa-demo/runs/agentic-hybrid --json"},
		[]any{replay.Episode{}, struct {
			Total replay.Total `json:"total"`
		}{}},
	},
	"search": {
		[]string{"search -d airqa-demo/data reading --json"},
		[]any{foundPassage{}},
	},
	"sql": {
		lines: []string{"sql -d airqa-demo/data 'SELECT title, num_pages FROM metadata' --json"},
	},
	"list prompts": {
		[]string{"list prompts --json"},
		[]any{promptLine{}},
	},
	"list baselines": {
		[]string{"list baselines --json"},
		[]any{bench.Benchmark{}},
	},
	"list models": {
		[]string{"list models --json"},
		[]any{modelLine{}},
	},
	"bench annotate": {
		[]string{
			"bench annotate --dataset fixtures/doris-mae/dataset.json -m scripted:fixtures/doris-mae/verdicts.jsonl -o annotated --json",
			"bench annotate -o annotated --export annotations.json --json",
		},
		[]any{annotate.Result{}, annotate.Exported{}},
	},
	"bench judge-check": {
		[]string{"bench judge-check labels.jsonl --judge offline --json"},
		[]any{judge.Summary{}},
	},
	"store cache": {
		[]string{"store cache replies --json", "store cache replies --older 30d --json", "store cache replies --clear --json"},
		[]any{struct {
			Models []cache.Held `json:"models"`
		}{}},
	},
	"version": {
		[]string{"version --json"},
		[]any{build{}},
	},
}

// docs/json.md and docs/json-data.md have a section for every command that prints JSON, with every key of it and no other.
func TestJSONDoc(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "runs every command that prints JSON")
	var pages strings.Builder
	for _, name := range []string{"json.md", "json-data.md"} {
		raw, err := os.ReadFile(filepath.Join("../../docs", name))
		if err != nil {
			t.Fatal(err)
		}
		pages.Write(raw)
	}
	dir := jsonFolder(t)
	sections := jsonSections(pages.String())
	commands := jsonCommands(t)
	for _, command := range commands {
		t.Run(command, func(t *testing.T) {
			output, ok := jsonOutputs[command]
			if !ok {
				t.Fatal("has --json: give jsonOutputs a command line, and docs/json.md a section")
			}
			documented, ok := sections[command]
			if !ok {
				t.Fatalf("docs/json.md has no section %q", "## airqa "+command)
			}
			known := make(map[string]bool)
			for _, line := range output.lines {
				printedKeys(t, dir, line, known)
			}
			for _, v := range output.types {
				typeKeys(reflect.TypeOf(v), "", nil, known)
			}
			compareKeys(t, documented, known)
		})
	}
	for command := range sections {
		if !slices.Contains(commands, command) {
			t.Errorf("docs/json.md describes airqa %s, which has no --json", command)
		}
	}
}

// jsonFolder is a folder with the results of the demo, a cache, and files with faults, labels and preference pairs.
func jsonFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "airqa-demo"), os.DirFS(demoResults(t))); err != nil {
		t.Fatal(err)
	}
	linkFixtures(t, dir)
	files := map[string]string{
		"faulty.jsonl": `{"uuid": "1", "question": "Who?"}` + "\n",
		"labels.jsonl": `{"uuid":"a","question":"Which?","evaluator":{"eval_func":"eval_reference_answer_with_llm",` +
			`"eval_kwargs":{"reference_answer":"Adam"}},"answer":"Adam is not used","label":false}` + "\n",
		"pairs.jsonl": `{"conversations":[{"from":"human","value":"q"}],"chosen":{"from":"gpt","value":"a"},` +
			`"rejected":{"from":"gpt","value":"b"}}` + "\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := "airqa run -d airqa-demo/data -q airqa-demo/questions.jsonl --baseline rag -m offline --limit 1"
	for _, line := range []string{run + " -o run --cache replies", run + " -o shards/1 --shard 1/1"} {
		if out, err := docShell(t, dir, line).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return dir
}

// jsonCommands are the commands with a flag --json.
func jsonCommands(t *testing.T) []string {
	t.Helper()
	parser, err := kong.New(&cli{}, options(settings.Open(""))...)
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	settings.EachFlag(parser.Model.Node, func(n *kong.Node, f *kong.Flag) {
		if f.Name == "json" {
			commands = append(commands, strings.Join(settings.CommandPath(n), " "))
		}
	})
	return commands
}

var (
	jsonHeading = regexp.MustCompile("^## airqa ([a-z -]+)$")
	jsonSame    = regexp.MustCompile(`\[airqa ([a-z -]+)\]\((?:json-data\.md|json\.md)?#airqa-`)
	jsonKey     = regexp.MustCompile("`([^`]+)`")
	jsonBraces  = regexp.MustCompile(`\{([^{}]*)\}`)
)

// jsonSections are the keys in the first cells of the tables below each heading "## airqa COMMAND", and those of other commands
// that the section refers to.
func jsonSections(page string) map[string][]string {
	sections, same := make(map[string][]string), make(map[string][]string)
	command := ""
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if m := jsonHeading.FindStringSubmatch(line); m != nil {
			command = m[1]
			sections[command] = nil
		}
		for _, m := range jsonSame.FindAllStringSubmatch(line, -1) {
			same[command] = append(same[command], m[1])
		}
		if cells := strings.Split(line, "|"); len(cells) > 2 && command != "" {
			for _, key := range jsonKey.FindAllStringSubmatch(cells[1], -1) {
				sections[command] = append(sections[command], expandBraces(key[1])...)
			}
		}
	}
	for command, others := range same {
		for _, other := range others {
			sections[command] = append(sections[command], sections[other]...)
		}
	}
	return sections
}

// expandBraces turns a.{b,c} into a.b and a.c.
func expandBraces(key string) []string {
	at := jsonBraces.FindStringSubmatchIndex(key)
	if at == nil {
		return []string{key}
	}
	var keys []string
	for choice := range strings.SplitSeq(key[at[2]:at[3]], ",") {
		keys = append(keys, expandBraces(key[:at[0]]+choice+key[at[1]:])...)
	}
	return keys
}

// printedKeys adds the keys of the values that a command prints: a.b for an object in an object, a[].b in a list.
func printedKeys(t *testing.T, dir, line string, known map[string]bool) {
	t.Helper()
	out, err := docShell(t, dir, "airqa "+line).Output()
	if len(out) == 0 {
		t.Fatalf("airqa %s prints nothing: %v", line, err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var v any
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("airqa %s: %v", line, err)
		}
		valueKeys(v, "", known)
	}
}

func valueKeys(v any, path string, known map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			valueKeys(inner, strings.TrimPrefix(path+"."+key, "."), known)
		}
	case []any:
		for _, inner := range v {
			valueKeys(inner, path+"[]", known)
		}
		if len(v) == 0 {
			known[path] = true
		}
	default:
		known[path] = true
	}
}

// typeKeys adds the keys that values of a type may have. A key of a map is "*"; a type within itself has no keys.
func typeKeys(typ reflect.Type, path string, around []reflect.Type, known map[string]bool) {
	switch {
	case typ.Kind() == reflect.Pointer:
		typeKeys(typ.Elem(), path, around, known)
	case typ.Kind() == reflect.Map:
		typeKeys(typ.Elem(), path+".*", around, known)
	case typ.Kind() == reflect.Slice && typ.Elem().Kind() != reflect.Uint8:
		typeKeys(typ.Elem(), path+"[]", around, known)
	case typ.Kind() != reflect.Struct || typ == reflect.TypeFor[time.Time]() || slices.Contains(around, typ):
		known[path] = true
	default:
		for field := range typ.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			switch {
			case name == "-" || !field.IsExported():
			case name == "" && field.Anonymous:
				typeKeys(field.Type, path, append(around, typ), known)
			default:
				if name == "" {
					name = field.Name
				}
				typeKeys(field.Type, strings.TrimPrefix(path+"."+name, "."), append(around, typ), known)
			}
		}
	}
}

// compareKeys reports the known keys without a row, and the rows without a known key.
func compareKeys(t *testing.T, documented []string, known map[string]bool) {
	t.Helper()
	used := make(map[string]bool)
	for _, key := range slices.Sorted(maps.Keys(known)) {
		found := false
		for _, row := range documented {
			switch {
			case describes(row, key):
				used[row], found = true, true
			case strings.HasPrefix(row, key+".") || strings.HasPrefix(row, key+"[]"): // null, or an empty list
				found = true
			}
		}
		if !found {
			t.Errorf("docs/json.md does not describe %s", key)
		}
	}
	for _, row := range documented {
		if !used[row] {
			t.Errorf("docs/json.md describes %s, which no output has", row)
		}
	}
}

// describes reports whether a row is about a key: the same key or, when the row ends in "…", one above it. A "*" stands for
// any name.
func describes(row, key string) bool {
	above, all := strings.CutSuffix(row, "…")
	pattern := strings.ReplaceAll(regexp.QuoteMeta(above), `\*`, `[^.]+`)
	if all {
		return regexp.MustCompile(`^` + pattern + `($|[.\[])`).MatchString(key)
	}
	return regexp.MustCompile(`^` + pattern + `$`).MatchString(key)
}
