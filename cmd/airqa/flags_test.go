package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"airqa/bench"
	"airqa/env/embed"
	"airqa/env/embed/minilm"
	"airqa/ingest"
	"airqa/internal/settings"
	"airqa/llm"
	"airqa/prompts"
	"airqa/qa"
	"airqa/report/render"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/run/plan"
	"airqa/run/scoring"
	"airqa/runlog"
)

// effect is how a flag is seen to do something: given with a value other than its default, it changes what a part of the
// program gets. of is nil for a command without such a part.
type effect struct {
	flag, args string
	of         func(t *testing.T, a *app, command any) any
	want       any
}

// effects apply to every command whose flag reaches the part. All other flags of a command are in scripted.
var effects = []effect{
	{"budget", "--budget 1.5usd,900tokens,90m", field("Budget"), budget.Limits{USD: 1.5, Tokens: 900, Time: 90 * time.Minute}},
	{"question-budget", "--question-budget 0.25usd", questionLimits, qa.QuestionLimits{QuestionBudget: qa.Amount{USD: 0.25, Text: "0.25usd"}}},
	{"question-budget", "--question-budget 700tokens", questionLimits, qa.QuestionLimits{QuestionBudget: qa.Amount{Tokens: 700, Text: "700tokens"}}},
	{"question-deadline", "--question-deadline 20m", questionLimits, qa.QuestionLimits{QuestionDeadline: 20 * time.Minute}},
	{"query-seconds", "--query-seconds 12", deadlineOfQuery, 12 * time.Second},
	{"price", "--price 2,10,1", price, qa.Price{Prompt: 2, Completion: 10, Cached: 1}},

	{"base-url", "--base-url http://127.0.0.1:9/v1", endpointOf(func(c llm.Config) any { return c.BaseURL }), "http://127.0.0.1:9/v1"},
	{"temperature", "--temperature 0.3", endpointOf(func(c llm.Config) any { return *c.Sampling.Temperature }), 0.3},
	{"top-p", "--top-p 0.5", endpointOf(func(c llm.Config) any { return *c.Sampling.TopP }), 0.5},
	{"seed", "--seed 42", endpointOf(func(c llm.Config) any { return *c.Sampling.Seed }), 42},
	{"max-tokens", "--max-tokens 77", endpointOf(func(c llm.Config) any { return c.Sampling.MaxTokens }), 77},
	{"reasoning-effort", "--reasoning-effort low", endpointOf(func(c llm.Config) any { return c.Sampling.ReasoningEffort }), "low"},
	{"extra-body", `--extra-body {"top_k":20}`, endpointOf(func(c llm.Config) any { return fmt.Sprint(c.Body["top_k"]) }), "20"},
	{"judge-extra-body", `--judge-extra-body {"top_k":2}`, field("JudgeExtraBody"), `{"top_k":2}`},
	{"timeout", "--timeout 7s", endpointOf(func(c llm.Config) any { return c.Timeout }), 7 * time.Second},
	{"retries", "--retries 9", endpointOf(func(c llm.Config) any { return c.MaxRetries }), 9},
	{"models", "--models no-such-list.yaml", modelList, "no-such-list.yaml"},

	{"embed-model", "--embed-model no-such-folder", embedder, "no-such-folder"},
	{"vectors", "--vectors no-such-store://x", badStore, true},
	{"embedder", "--embedder openai:m --embed-base-url http://127.0.0.1:9/v1", remoteEmbedder, "openai:m at http://127.0.0.1:9/v1"},
	{"embed-base-url", "--embed-base-url http://127.0.0.1:8/v1", embedConfig(func(c embed.OpenAIConfig) any { return c.BaseURL }), "http://127.0.0.1:8/v1"},

	{"annotations", "--annotations a", annotationsOf, "a"},
	{"rater", "--rater a", ratersOf(func(r bench.AgreementConfig) any { return r.Model }), "a"},
	{"measure", "--measure rho", ratersOf(func(r bench.AgreementConfig) any { return r.Measure }), "rho"},
	{"margin", "--margin 0.2", ratersOf(func(r bench.AgreementConfig) any { return r.Margin }), 0.2},
	{"bootstrap", "--bootstrap 9", ratersOf(func(r bench.AgreementConfig) any { return r.Rounds }), 9},
	{"bootstrap-seed", "--bootstrap-seed 7", ratersOf(func(r bench.AgreementConfig) any { return r.Seed }), uint64(7)},

	{"embed-tokens", "--embed-tokens 512", embedConfig(func(c embed.OpenAIConfig) any { return c.Tokens }), 512},
	{"embed-threads", "--embed-threads 3", embedThreads, 3},
	{"vectors-per-chunk", "--vectors-per-chunk one", oneVector, true},
	{"embed-connections", "--embed-connections 5", embedConfig(func(c embed.OpenAIConfig) any { return c.Parallel }), 5},
	{"embed-extra-body", `--embed-extra-body {"dimensions":5}`, embedConfig(func(c embed.OpenAIConfig) any { return c.Body }), `{"dimensions":5}`},
	{"embed-query-prefix", "--embed-query-prefix q:", embedConfig(func(c embed.OpenAIConfig) any { return c.QueryPrefix }), "q:"},
	{"embed-text-prefix", "--embed-text-prefix p:", embedConfig(func(c embed.OpenAIConfig) any { return c.TextPrefix }), "p:"},
	{"embed-batch", "--embed-batch 10", embedConfig(func(c embed.OpenAIConfig) any { return c.Batch }), 10},

	{"limit", "--limit 2-4", picked, "u1 u2 u3"},
	{"id", "--id u7 --id u2", picked, "u2 u7"},
	{"tag", "--tag odd,!third", picked, "u1 u5 u7"},
	{"sample", "--sample 3", picked, "u2 u5 u6"},
	{"sample", "--sample 3:7", picked, "u0 u6 u8"},
	{"limit", "--limit 2", picked, "u0 u1"},

	{"turns", "--turns 9", settingOf("turns"), 9},
	{"rows", "--rows 6", settingOf("rows"), 6},
	{"retrieve", "--retrieve bm25", settingOf("retrieve"), "bm25"},
	{"query-seconds", "--query-seconds 12", settingOf("query_seconds"), 12.0},
	{"window", "--window 3", settingOf("window"), 3},
	{"protocol", "--protocol react-yaml", settingOf("protocol"), "react-yaml"},
	{"scope", "--scope all", settingOf("scope"), "all"},
	{"format-errors", "--format-errors 2", settingOf("format_errors"), 2},
	{"repeat-limit", "--repeat-limit 3", settingOf("repeat_limit"), 3},
	{"context-tokens", "--context-tokens 900", settingOf("context_tokens"), 900},
	{"observation-tokens", "--observation-tokens 800", settingOf("observation_tokens"), 800},
	{"passages", "--passages 7", settingOf("passages"), 7},

	{"prompts", "--prompts mine", ownPrompts, map[string]string{"hints_view": "- Look."}},
	{"judge", "--judge offline,openai:j --judge-base-url http://127.0.0.1:9/v1", panel, "majority(offline,openai:j) at http://127.0.0.1:9/v1"},
	{"judge-rule", "--judge offline,openai:j --judge-rule any --judge-base-url http://127.0.0.1:9/v1", panel, "any(offline,openai:j) at http://127.0.0.1:9/v1"},
	{"judge-base-url", "--judge offline,openai:j --judge-base-url http://127.0.0.1:8/v1", panel, "majority(offline,openai:j) at http://127.0.0.1:8/v1"},

	{"include-partial", "--include-partial", includePartial, true},
	{"workers", "-j 3", papersAtOnce, ingest.Options{Workers: 3}},
	{"max-pages", "--max-pages 9", papersAtOnce, ingest.Options{Workers: 2, MaxPages: 9}},
	{"again", "--again", papersAtOnce, ingest.Options{Workers: 2, Again: true}},
	{"replace", "--replace", papersAtOnce, ingest.Options{Workers: 2, Replace: true}},
}

// scripted are the flags that a test runs, command by command: the script (or the Go file), and its flags.
var scripted = map[string]map[string]string{
	"":        {"script/look.txtar": "version", "script/help.txtar": "help-all", "script/settings.txtar": "config quiet"},
	"version": {"script/help.txtar": "json"},
	"demo":    {"script/demo.txtar": "dir"},
	"ingest": {
		"script/as-in-paper.txtar":   "as-in-paper",
		"script/papers.txtar":        "data metadata mineru",
		"fetch_test.go":              "url arxiv list max-mb delay",
		"arxiv_test.go":              "arxiv-url",
		"sigterm_test.go":            "grace",
		"script/ingest.txtar":        "chunk-size chunk-unit json",
		"script/ingest-shards.txtar": "shard",
	},
	"import database": {"script/import.txtar": "data pdfs replace", "script/ingest-shards.txtar": "shard"},

	"import run": {"script/import-run.txtar": "out"},

	"papers list": {"script/papers-list.txtar": "data json format limit after metadata"},
	"papers show": {"script/papers-list.txtar": "data json format"},
	"papers fetch": {
		"papers_fetch_test.go":      "data questions metadata named limit rate max-mb missing-list dry-run json",
		"script/papers-fetch.txtar": "chunk-size chunk-unit shard",
		"arxiv_test.go":             "arxiv-category from to sample seed arxiv-url",
	},
	"papers join": {"script/papers-join.txtar": "data replace dry-run json", "script/interrupted.txtar": "partial"},
	"papers rm":   {"script/papers-rm.txtar": "data dry-run json vectors"},
	"enrich":      {"script/enrich.txtar": "data model fields workers max-calls max-total-tokens pictures again"},
	"run": {
		"script/as-in-paper.txtar": "as-in-paper",
		"script/interrupted.txtar": "partial from",
		"script/run.txtar":         "data questions baseline model out workers",
		"script/run-matrix.txtar":  "repeats status of",
		"script/run-errors.txtar":  "retry dry-run rows",
		"script/dry-run.txtar":     "retrieve json",
		"script/missing.txtar":     "missing",
		"script/replies.txtar":     "cache cache-from",
		"script/vectors.txtar":     "vectors",
		"script/run-end.txtar":     "score judge",
		"script/shards.txtar":      "shard",
		"sigterm_test.go":          "grace",
	},
	"ask":            {"script/ask.txtar": "file continue from baseline model out json html data rows retrieve"},
	"shards merge":   {"script/shards.txtar": "out partial json"},
	"bench annotate": {"script/annotate.txtar": "dataset model out pairs queries limit retry compat workers json export", "bench_embedder_test.go": "pools-from"},
	"shards slurm":   {"script/cluster.txtar": "shards parallel name cpus mem time sbatch keys restarts gpus program setup serve ready startup", "script/interrupted.txtar": "from"},
	"shards k8s":     {"script/cluster.txtar": "shards parallel name cpus mem image claim work data-claim secret namespace restarts serve serve-image gpus keys startup ready port", "script/interrupted.txtar": "from"},
	"store cache":    {"script/replies.txtar": "older clear json"},
	"fork": {
		"script/fork.txtar": "at reply out data observation edit message author model",
		"replies_test.go":   "cache",
	},
	"diff":   {"script/diff.txtar": "format json scoring judge"},
	"replay": {"script/replay-actions.txtar": "data workers json"},
	"score": {
		"bench_embedder_test.go": "pools-from", "script/as-in-paper.txtar": "as-in-paper",
		"script/score-files.txtar": "gold pred out answered-only cores scoring explain",
		"script/bench-rank.txtar":  "benchmark setting",
		"script/run.txtar":         "json judge",
		"judge/run.txtar":          "judge-concurrency",
	},
	"bench judge-check": {
		"script/judge-check.txtar": "json judge judge-concurrency",
		"score_interrupt_test.go":  "verdicts",
	},
	"report":            {"script/report.txtar": "only table by format json out figures intervals bootstrap-seed detail training-size with-paper scoring judge"},
	"compare":           {"script/compare.txtar": "format json out flips bootstrap bootstrap-seed min-questions discordant scoring judge power"},
	"status":            {"script/status.txtar": "json watch"},
	"questions new":     {"script/questions.txtar": "question answer type point count decimals answer-format paper reference conference tag uuid evaluator append data"},
	"questions convert": {"script/questions.txtar": "type paper data", "script/question-table.txtar": "corpus"},
	"questions lint":    {"script/questions.txtar": "format json out", "script/question-table.txtar": "data"},
	"questions stats":   {"script/stats.txtar": "format json out with-paper data", "script/question-table.txtar": "data"},
	"questions try":     {"script/questions.txtar": "answer json judge"},
	"export write": {"script/as-in-paper.txtar": "as-in-paper", "script/export.txtar": "out format replace turns thinking include min-score max-score outcome of-model of-baseline tag min-turns max-turns " +
		"min-tokens max-tokens max-repetition max-per-question max-per-paper ids episodes errors scoring judge split split-seed duplicates against leaks leak redact-emails " +
		"cutoff-len template tokenizer fit license pass-rate best-of columns whole-episodes", "script/otlp.txtar": "otlp-endpoint"},
	"synth make": {"script/as-in-paper.txtar": "as-in-paper", "script/synth.txtar": making + " until baseline repeats judge tracker-model"},
	"synth act":  {"script/synth.txtar": "data model out workers baseline repeats judge rows retrieve"},
	"synth why":  {"script/synth.txtar": "json"},
	"why":        {"script/demo.txtar": "compare format json scoring all sample with-paper"},
	"view":       {"view_test.go": "data listen no-open"},
	"serve": {
		"serve_test.go": "data questions out token-file idle listen split split-seed model-name max-answer call-timeout judge " +
			"scoring baseline status of weak-rewards",
		"serve_protocol_test.go": "max-sessions",
	},
	"mcp":          {"mcp_test.go": "data questions question out listen baseline call-timeout max-answer scoring judge"},
	"export check": {"script/export-check.txtar": "format trainer tokenizer cutoff-len template python json row html"},
	"export tasks": {"script/interrupted.txtar": "partial", "script/export-tasks.txtar": "data questions out format replace with-gold server-url split split-seed sidecar-image image-data agent-image baseline retrieve turns " +
		"rows observation-tokens query-seconds repeat-limit call-timeout max-answer status of scoring judge weak-rewards"},
	"trace": {
		"script/trace.txtar":         "status tag lost-at grep sort limit format json scoring judge function outcome error cause",
		"script/run-protocols.txtar": "full", "trace_test.go": "no-pager",
	},
	"notes":          {"script/trace.txtar": "add step decide remove merge author json format"},
	"sql":            {"script/recover.txtar": "data query-seconds", "script/look.txtar": "json", "script/formats.txtar": "format", "script/vectors.txtar": "vectors"},
	"search":         {"script/look.txtar": "data retrieve limit paper json vectors"},
	"page":           {"script/look.txtar": "data paper page box boxes dpi out", "script/papers-marks.txtar": "label"},
	"store vectors":  {"milvus_test.go": "data to vectors embed-again", "script/vectors.txtar": "deep rebuild"},
	"bench stats":    {"script/bench.txtar": "dataset similarity format json out item history", "script/bench-rank.txtar": "pools", "bench_embedder_test.go": "dir pools-out pools-from annotations setting"},
	"bench baseline": {"script/bench.txtar": "dataset method format json out run bootstrap", "script/bench-rank.txtar": "scoring setting bootstrap-seed export bertscore", "bench_embedder_test.go": "dir pools-from"},
	"bench run":      {"bench_embedder_test.go": "pools-from", "script/bench-run.txtar": "dataset context history dir setting"},
	"bench agree":    {"script/bench.txtar": "format json out", "script/bench-rank.txtar": "list"},
	"list baselines": {"script/look.txtar": "json"},
	"list prompts":   {"script/prompts.txtar": "write json"},
	"list models":    {"script/models.txtar": "json models", "script/formats.txtar": "format"},

	"bench collect": {
		"collect_test.go":      "participants papers out listen pair paper min-turns max-turns message-time total-time notices",
		"script/collect.txtar": "export calendar",
	},

	"doctor": {
		"extra_test.go": "extra-body models", "doctor/doctor.txtar": "data model base-url tools images judge judge-base-url timeout json vectors",
	},
}

// making are the flags of the commands that make questions.
const making = "data model out count categories max-candidates draw-seed gates solve-again pictures workers preview dry-run resume"

// Every flag of every command has an effect, and this test lists where.
func TestEveryFlagHasAnEffect(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	inFolderWithRun(t)
	parser, err := kong.New(&cli{}, options(settings.Open(""))...)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	settings.EachFlag(parser.Model.Node, func(n *kong.Node, f *kong.Flag) {
		command := strings.Join(settings.CommandPath(n), " ")
		name := strings.TrimSpace(command + " " + f.Name)
		switch {
		case f.Name == "help":
			return
		case name == "verbose":
			if debug := slog.LevelDebug; newApp(false, false).log.Enabled(t.Context(), debug) || !newApp(true, false).log.Enabled(t.Context(), debug) {
				t.Error("--verbose shows no more")
			}
			return
		}
		file := scriptOf(command, f.Name)
		if file != "" {
			checkScript(t, filepath.Join(dir, "testdata", file), dir, command, f)
		}
		if rows := checkEffects(t, command, f.Name, seen); file == "" && rows == 0 {
			t.Errorf("airqa %s --%s: name a script that runs it in scripted, or a row in effects", command, f.Name)
		}
	})
	for _, e := range effects {
		if !seen[e.flag+e.args] {
			t.Errorf("--%s: the row of effects applies to no command", e.flag)
		}
	}
}

func scriptOf(command, flag string) string {
	for file, flags := range scripted[command] {
		if slices.Contains(strings.Fields(flags), flag) {
			return file
		}
	}
	return ""
}

// checkScript makes sure that a test runs a command with a flag.
func checkScript(t *testing.T, path, dir, command string, f *kong.Flag) {
	t.Helper()
	flag := `--` + f.Name + `\b`
	if f.Short != 0 {
		flag = `(` + flag + `|-` + string(f.Short) + ` )`
	}
	uses := regexp.MustCompile(`airqa ` + command + `( .*)? ?` + flag)
	if filepath.Ext(path) == ".go" {
		path = filepath.Join(dir, filepath.Base(path))
		uses = regexp.MustCompile(`[" ]--` + f.Name + `[" =]`)
	}
	raw, err := os.ReadFile(path)
	if err != nil || !uses.Match(raw) {
		t.Errorf("airqa %s --%s does not occur in %s (%v)", command, f.Name, path, err)
	}
}

// checkEffects runs the rows of a flag that apply to a command and counts them.
func checkEffects(t *testing.T, command, flag string, seen map[string]bool) int {
	t.Helper()
	n := 0
	for _, e := range effects {
		if e.flag != flag {
			continue
		}
		without := e.of(t, testApp(), parsed(t, command, ""))
		if without == nil {
			continue
		}
		got := e.of(t, testApp(), parsed(t, command, e.args))
		n++
		seen[e.flag+e.args] = true
		if diff := cmp.Diff(e.want, got, cmp.Comparer(func(a, b func(qa.Usage) float64) bool { return (a == nil) == (b == nil) })); diff != "" {
			t.Errorf("airqa %s %s (-want +got):\n%s", command, e.args, diff)
		}
		if reflect.DeepEqual(without, got) {
			t.Errorf("airqa %s %s is the default", command, e.args)
		}
	}
	return n
}

// neededArgs are the arguments without which a command is not parsed.
var neededArgs = map[string]string{
	"why":    "run",
	"trace":  "run",
	"ingest": "--data d p.pdf", "import database": "--data d p.duckdb", "import run": "f --out o", "enrich": "--data d --model openai:m", "sql": "--data d SELECT",
	"search": "--data d words", "page": "--data d --paper p --page 1", "store vectors": "--data d",
	"run": "--data d --questions q --baseline rag --model openai:m --out o", "fork": "run uuid --at 1 --reply r", "replay": "run", "diff": "run run", "papers rm": "--data d p", "papers join": "--data d p", "papers fetch": "--data d --questions q --metadata m", "papers show": "--data d p", "papers list": "--data d",
	"bench annotate": "--dataset d --model openai:m --out o",
	"shards merge":   "run --out o", "shards slurm": "--shards 2 -- -q q", "shards k8s": "--shards 2 --image i --claim c -- -q q",
	"synth make": "--data d --model openai:m --count 3 --out o", "synth act": "--data d --model openai:m --out o", "synth why": "o",
	"export write": "run --out o", "export check": "f", "export tasks": "--data d --questions q --format verl --out o", "store cache": "c", "bench judge-check": "f", "report": "run", "view": "run", "serve": "-q q",
	"bench stats": "argscichat --dataset d", "bench baseline": "argscichat --dataset d", "bench run": "argscichat --dataset d",
	"bench agree":       "f",
	"bench collect":     "--participants p --papers p --out o",
	"questions convert": "q", "questions lint": "q", "questions stats": "q", "questions try": "q --answer a",
}

// quietParser is one parser for many command lines: Parse sets all flags to their defaults first. It prints nothing.
var quietParser = sync.OnceValues(func() (*kong.Kong, error) {
	return kong.New(&cli{}, append(options(settings.Open("")), kong.Exit(func(int) {}), kong.Writers(io.Discard, io.Discard))...)
})

// parsing protects the parser, whose commands are the same for all.
var parsing sync.Mutex

// parsed is a command with some arguments.
func parsed(t *testing.T, command, args string) any {
	t.Helper()
	parsing.Lock()
	defer parsing.Unlock()
	parser, err := quietParser()
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := parser.Parse(slices.Concat(strings.Fields(command), strings.Fields(neededArgs[command]), strings.Fields(args)))
	if err != nil {
		t.Fatalf("airqa %s %s: %v", command, args, err)
	}
	return ctx.Selected().Target.Interface()
}

// inFolderWithRun works in a folder that holds a run of nothing, without settings of the user or the environment.
func inFolderWithRun(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "AIRQA_") || strings.HasSuffix(name, "_BASE_URL") {
			t.Setenv(name, "")
		}
	}
	shape := runlog.Shape{Baseline: "agentic-hybrid", Model: map[string]any{"provider": "openai", "model": "m"}}
	if err := errors.Join(os.Mkdir("mine", 0o755), os.WriteFile("mine/hints_view.txt", []byte("- Look."), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := runlog.Create("run", runlog.Config{Shape: shape, Note: runlog.Note{DataDir: "d"}}, nil); err != nil {
		t.Fatal(err)
	}
}

// ownPrompts are the texts that a command reads from a folder.
func ownPrompts(_ *testing.T, _ *app, command any) any {
	f := reflect.Indirect(reflect.ValueOf(command)).FieldByName("Prompts")
	if set, ok := f.Interface().(prompts.Set); ok && set.Own() != nil {
		return set.Own()
	}
	return "none"
}

var flagClock = time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)

func testApp() *app {
	a := newApp(false, false)
	a.now = func() time.Time { return flagClock }
	a.getenv = func(name string) string { return map[string]string{"OPENAI_API_KEY": "sk-test"}[name] }
	return a
}

func questionLimits(_ *testing.T, _ *app, c any) any {
	if limits, ok := part[qa.QuestionLimits](c); ok {
		limits.QuerySeconds = 0 // has a test of its own
		return limits
	}
	return nil
}

func deadlineOfQuery(_ *testing.T, _ *app, c any) any {
	if limits, ok := part[qa.QuestionLimits](c); ok {
		return limits.QueryDeadline()
	}
	return nil
}

// part is the embedded struct of a command's flags.
func part[T any](c any) (T, bool) {
	v := reflect.Indirect(reflect.ValueOf(c)).FieldByName(reflect.TypeFor[T]().Name())
	if !v.IsValid() {
		return *new(T), false
	}
	flags, ok := v.Interface().(T)
	return flags, ok
}

func price(t *testing.T, _ *app, c any) any {
	if c, ok := c.(interface {
		priced(models.Config, qa.QuestionLimits) (models.Config, error)
	}); ok {
		config, err := c.priced(models.Config{}, qa.QuestionLimits{})
		if err != nil {
			t.Fatal(err)
		}
		if config.Price == nil {
			return qa.Price{}
		}
		return *config.Price
	}
	return nil
}

type endpoints interface {
	modelConfig() (models.Config, error)
}

// ratersOf reads a part of how raters are compared.
func ratersOf(part func(bench.AgreementConfig) any) func(*testing.T, *app, any) any {
	return func(_ *testing.T, _ *app, c any) any {
		if c, ok := c.(benchAgreeCmd); ok {
			return part(c.AgreementConfig)
		}
		return nil
	}
}

func annotationsOf(_ *testing.T, _ *app, c any) any {
	switch c := c.(type) {
	case benchAgreeCmd:
		return c.Annotations
	case benchBaselineCmd:
		return c.Annotations
	case scoreCmd:
		return c.Annotations
	case benchRunCmd:
		return c.Annotations
	}
	return nil
}

// endpointOf reads a part of how a model is asked.
func endpointOf(part func(llm.Config) any) func(*testing.T, *app, any) any {
	return func(t *testing.T, a *app, c any) any {
		flags, ok := c.(endpoints)
		if !ok {
			return nil
		}
		source, err := openModels(a, flags)
		if err != nil {
			t.Fatal(err)
		}
		config := source.Config("openai:m")
		if config.Sampling.Seed == nil {
			none := -1
			config.Sampling.Seed = &none
		}
		return part(config)
	}
}

func openModels(a *app, flags endpoints) (*models.Models, error) {
	config, err := flags.modelConfig()
	if err != nil {
		return nil, err
	}
	return a.session().OpenModels(config)
}

// modelList is the list of models that cannot be opened.
func modelList(_ *testing.T, a *app, c any) any {
	if c, ok := c.(endpoints); ok {
		_, err := openModels(a, c)
		return fileOf(err)
	}
	return nil
}

// fileOf is the file or folder that an error is about.
func fileOf(err error) string {
	if err == nil {
		return ""
	}
	return regexp.MustCompile(`no-such[a-z.-]*[a-z]`).FindString(err.Error())
}

// embedders are commands that make an embedding model.
type embedders interface {
	local() minilm.Config
	embedder(a *app) (embed.Embedder, error)
	remoteConfig(a *app, name string) (embed.OpenAIConfig, error)
}

func embedderOf(c any) (embedders, bool) {
	if d, ok := c.(interface{ dataFlags() dataFlags }); ok {
		c = d.dataFlags()
	}
	f, ok := c.(embedders)
	return f, ok
}

func embedder(_ *testing.T, a *app, c any) any {
	if f, ok := embedderOf(c); ok {
		_, err := f.embedder(a)
		return fileOf(err)
	}
	return nil
}

// field is for flags whose effect TestExtraOfEachEndpoint shows.
func field(name string) func(*testing.T, *app, any) any {
	return func(_ *testing.T, _ *app, c any) any {
		if f := reflect.Indirect(reflect.ValueOf(c)).FieldByName(name); f.IsValid() {
			return f.Interface()
		}
		return nil
	}
}

func embedConfig(of func(embed.OpenAIConfig) any) func(*testing.T, *app, any) any {
	return func(t *testing.T, a *app, c any) any {
		f, ok := embedderOf(c)
		if !ok {
			return nil
		}
		config, err := f.remoteConfig(testAppWithEmbedKey(a), "m")
		if err != nil {
			t.Fatal(err)
		}
		return of(config)
	}
}

func embedThreads(_ *testing.T, _ *app, c any) any {
	if f, ok := embedderOf(c); ok {
		return f.local().Threads
	}
	return nil
}

func oneVector(_ *testing.T, _ *app, c any) any {
	if f, ok := embedderOf(c); ok {
		return f.local().OneVector
	}
	return nil
}

// testAppWithEmbedKey lets an app ask for vectors without an address.
func testAppWithEmbedKey(a *app) *app {
	a.getenv = func(name string) string { return map[string]string{models.EmbedKey: "sk-test"}[name] }
	return a
}

// badStore reports whether the store for vectors is refused.
func badStore(_ *testing.T, a *app, c any) any {
	f, _ := embedderOf(c)
	if f == nil {
		return nil
	}
	pointer := reflect.New(reflect.TypeOf(f))
	pointer.Elem().Set(reflect.ValueOf(f))
	if c, ok := pointer.Interface().(interface{ settle(*app, bool) error }); ok {
		return c.settle(a, false) != nil
	}
	return nil
}

func remoteEmbedder(t *testing.T, a *app, c any) any {
	f, ok := embedderOf(c)
	if !ok {
		return nil
	}
	model, err := f.embedder(a)
	if err != nil {
		t.Fatal(err)
	}
	config, err := f.remoteConfig(a, "m")
	if err != nil {
		return model.Info().Model
	}
	return fmt.Sprintf("%s at %s", model.Info().Model, config.BaseURL)
}

func picked(t *testing.T, a *app, c any) any {
	selection, ok := part[plan.Selection](c)
	if !ok {
		return nil
	}
	examples := make([]qa.Example, 10)
	for i := range examples {
		examples[i] = qa.Example{UUID: fmt.Sprintf("u%d", i)}
		if i%2 == 1 {
			examples[i].Tags = append(examples[i].Tags, "odd")
		}
		if i%3 == 0 {
			examples[i].Tags = append(examples[i].Tags, "third")
		}
	}
	chosen, err := plan.Select(a.session(), selection, examples)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, ex := range chosen {
		names = append(names, ex.UUID)
	}
	return strings.Join(names, " ")
}

// settingOf is one of a baseline's, as the solver has it.
func settingOf(name string) func(*testing.T, *app, any) any {
	return func(_ *testing.T, _ *app, c any) any {
		settings, ok := part[qa.Settings](c)
		if f, served := c.(interface{ settings() (qa.Settings, error) }); served {
			settings, _ = f.settings() // valid flags
			ok = true
		}
		if ok {
			v := settings.Record()[name]
			if v == nil {
				return ""
			}
			return v
		}
		return nil
	}
}

func panel(t *testing.T, a *app, c any) any {
	flags, ok := c.(interface {
		judges() (scoring.Judges, error)
	})
	if !ok {
		return nil
	}
	judges, err := flags.judges()
	if err != nil {
		t.Fatal(err)
	}
	j, err := judges.Open(a.session(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	return j.Name + " at " + judges.BaseURL
}

func includePartial(t *testing.T, a *app, c any) any {
	switch c := c.(type) {
	case interface {
		options(a *app) (render.Options, error)
	}:
		o, err := c.options(a)
		if err != nil {
			t.Fatal(err)
		}
		return o.IncludePartial
	case compareCmd:
		return c.IncludePartial
	}
	return nil
}

func papersAtOnce(_ *testing.T, _ *app, c any) any {
	var o ingest.Options
	switch c := c.(type) {
	case ingestCmd:
		o = c.Options
	case papersFetchCmd:
		o.Workers = c.Workers
	default:
		return nil
	}
	if o.MaxPages == 3000 {
		o.MaxPages = 0 // the default
	}
	return o
}
