package tasks_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"airqa/eval"
	"airqa/fixtures"
	"airqa/internal/files"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/train"
	"airqa/train/tasks"
)

var formats = []tasks.Format{tasks.Verl, tasks.SkyRL, tasks.NeMoGym, tasks.TRL, tasks.Harbor}

// marker is in every field that no agent may see.
const marker = "secret-5731"

// config exports the sample questions. All but the texts of the messages are marked.
func config(t *testing.T, format tasks.Format) tasks.Config {
	t.Helper()
	c := tasks.Config{
		Options: tasks.Options{
			Format: format, Out: filepath.Join(t.TempDir(), "out"), URL: "http://127.0.0.1:8378",
			SplitOptions: train.SplitOptions{Split: []float64{0.8, 0.2}, SplitSeed: 1},
			Sidecar:      tasks.Sidecar{Image: "airqa:local", AgentImage: "ubuntu:24.04"},
		},
		Program: "airqa test", Serve: []string{"--turns", "20"},
		Tools: []qa.ToolSpec{
			{Name: "Query", Description: "Runs SQL.", Parameters: json.RawMessage(`{"type":"object","properties":{"sql":{"type":"string"}},"required":["sql"]}`)},
			{Name: "Answer", Description: "Ends.", Parameters: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`)},
		},
	}
	for line := range bytes.Lines(fixtures.Questions()) {
		ex, faults, ok := dataset.Decode(line)
		if !ok || len(faults) > 0 {
			t.Fatalf("%s: %v", line, faults)
		}
		ex.ReasoningSteps, ex.Annotator = append(ex.ReasoningSteps, marker), marker
		ex.Extra = map[string]json.RawMessage{"note": json.RawMessage(`"` + marker + `"`)}
		c.Questions = append(c.Questions, tasks.Question{Example: ex, System: "Answer the question.", Prompt: "[Question]: " + ex.Question})
	}
	return c
}

func write(t *testing.T, c tasks.Config) tasks.Summary {
	t.Helper()
	s, err := tasks.Write(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// contents are the files of an export by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// verlRow is a row as verl reads it.
type verlRow struct {
	DataSource string `parquet:"data_source"`
	Prompt     []struct {
		Role    string `parquet:"role"`
		Content string `parquet:"content"`
	} `parquet:"prompt,list"`
	Reward struct {
		Style string `parquet:"style"`
		Truth string `parquet:"ground_truth"`
	} `parquet:"reward_model"`
	Extra struct {
		Split string `parquet:"split"`
		Index int64  `parquet:"index"`
		ID    string `parquet:"question_id"`
		Need  bool   `parquet:"need_tools_kwargs"`
		Tools struct {
			Query struct {
				Create struct {
					ID string `parquet:"question_id"`
				} `parquet:"create_kwargs"`
			} `parquet:"Query"`
		} `parquet:"tools_kwargs"`
	} `parquet:"extra_info"`
	Agent string `parquet:"agent_name"`
}

// decoded is a table as text; the bytes of a table are compressed.
func decoded(t *testing.T, raw string) string {
	t.Helper()
	rows, err := parquet.Read[any](strings.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(rows...)
}

func TestVerlRows(t *testing.T) {
	c := config(t, tasks.Verl)
	sum := write(t, c)
	all := contents(t, c.Out)
	n := 0
	for _, part := range sum.Splits {
		raw := all[part.Split+".parquet"]
		rows, err := parquet.Read[verlRow](strings.NewReader(raw), int64(len(raw)))
		if err != nil || len(rows) != part.Rows {
			t.Fatalf("%s: %d rows, %v; want %d", part.Split, len(rows), err, part.Rows)
		}
		for i, r := range rows {
			q := c.Questions[slices.IndexFunc(c.Questions, func(q tasks.Question) bool { return q.UUID == r.Extra.ID })]
			if r.Prompt[0].Content != q.System || r.Prompt[1].Content != q.Prompt || r.Prompt[1].Role != "user" || r.Extra.Index != int64(i) ||
				r.Extra.Split != part.Split || !r.Extra.Need || r.Extra.Tools.Query.Create.ID != q.UUID || r.Reward.Truth != q.UUID ||
				r.Reward.Style != "rule" || r.Agent != "tool_agent" || r.DataSource != "airqa" {
				t.Errorf("row %d of %s: %+v", i, part.Split, r)
			}
		}
		n += len(rows)
	}
	if n != len(c.Questions) {
		t.Errorf("%d rows of %d questions", n, len(c.Questions))
	}
}

// The command for verl sets the limits that would cut prompts and results, for prompts of any length.
func TestVerlLimits(t *testing.T) {
	for _, extra := range []int{0, 20_000, 300_000} {
		c := config(t, tasks.Verl)
		c.Turns = 9
		c.Questions[3].System = strings.Repeat("word ", extra/5)
		c.Tools = append(c.Tools, qa.ToolSpec{Name: "View", Description: strings.Repeat("x", extra), Parameters: json.RawMessage(`{}`)})
		write(t, c)
		text := contents(t, c.Out)["README.md"]
		found := regexp.MustCompile(`data\.max_prompt_length=(\d+) `).FindStringSubmatch(text)
		if found == nil {
			t.Fatal(text)
		}
		n, err := strconv.Atoi(found[1])
		if err != nil || n < extra || n > extra+2048 {
			t.Errorf("%s tokens for %d bytes", found[1], 2*extra)
		}
		for _, want := range []string{"data.max_response_length=", "multi_turn.max_tool_response_length=1000000", "multi_turn.max_assistant_turns=9 ", "vision model"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %s in\n%s", want, text)
			}
		}
	}
}

// Both kinds of lines name the question, in the order of the file within each split, and splits are by paper.
func TestLines(t *testing.T) {
	for _, format := range []tasks.Format{tasks.NeMoGym, tasks.TRL} {
		c := config(t, format)
		var examples []qa.Example
		for _, q := range c.Questions {
			examples = append(examples, q.Example)
		}
		parts, err := train.DivideQuestions(examples, c.SplitOptions)
		if err != nil {
			t.Fatal(err)
		}
		want := make(map[string][]string)
		for _, part := range parts {
			for _, i := range part.Indexes {
				want[part.Name] = append(want[part.Name], examples[i].UUID)
			}
		}
		got := make(map[string][]string)
		sum := write(t, c)
		all := contents(t, c.Out)
		for _, part := range sum.Splits {
			for line := range strings.Lines(all[part.Split+".jsonl"]) {
				var row struct {
					ID       string `json:"question_id"`
					Verifier struct {
						ID string `json:"question_id"`
					} `json:"verifier_metadata"`
				}
				if err := json.Unmarshal([]byte(line), &row); err != nil {
					t.Fatal(err)
				}
				got[part.Split] = append(got[part.Split], row.ID+row.Verifier.ID)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", format, diff)
		}
	}
}

func TestGymRow(t *testing.T) {
	c := config(t, tasks.NeMoGym)
	c.Tools[0].Parameters = json.RawMessage(`{"type":"object","properties":{"sql":{"type":"string"},"limit":{"type":"integer"}},"required":["sql"]}`)
	c.Questions, c.Split = c.Questions[:1], nil
	write(t, c)
	q := c.Questions[0]
	want := `{"responses_create_params":{"input":[{"role":"system","content":"Answer the question."},{"role":"user","content":"` + q.Prompt + `"}],"tools":[` +
		`{"type":"function","name":"Query","description":"Runs SQL.","parameters":` + string(c.Tools[0].Parameters) + `,"strict":false},` +
		`{"type":"function","name":"Answer","description":"Ends.","parameters":` + string(c.Tools[1].Parameters) + `,"strict":true}],` +
		`"parallel_tool_calls":false},"verifier_metadata":{"question_id":"` + q.UUID + `"},"agent_ref":{"type":"responses_api_agents","name":"airqa_simple_agent"}}` + "\n"
	if diff := cmp.Diff(want, contents(t, c.Out)["train.jsonl"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The configuration for NeMo Gym has what makes up the address of the server there: a host with the token, and a port.
func TestGymConfig(t *testing.T) {
	for address, want := range map[string]string{
		"http://127.0.0.1:8378":       `@127.0.0.1" 8378`,
		"http://[::1]:9000":           `@[::1]" 9000`,
		"http://airqa.example":        `@airqa.example" 80`,
		"https://airqa.example":       "",
		"http://airqa.example:80/gym": "",
		"127.0.0.1:8378":              "",
		"airqa":                       "",
	} {
		c := config(t, tasks.NeMoGym)
		c.URL, c.Turns = address, 7
		_, err := tasks.Write(c)
		if want == "" {
			if err == nil {
				t.Errorf("%s is accepted", address)
			}
			continue
		}
		text := contents(t, c.Out)["airqa.yaml"]
		found := regexp.MustCompile(`host: "airqa:\$\{oc\.env:AIRQA_SERVE_TOKEN,none\}(.*)\n +port: (.*)`).FindStringSubmatch(text)
		if err != nil || found == nil || found[1]+" "+found[2] != want || !strings.Contains(text, "max_steps: 7\n") || !strings.Contains(text, "validation.jsonl") {
			t.Errorf("%s: %v\n%s", address, err, text)
		}
	}
}

// The same configuration gives the same bytes, and a second export of it changes nothing.
func TestStable(t *testing.T) {
	for _, format := range formats {
		c := config(t, format)
		first := write(t, c)
		before := contents(t, c.Out)
		if s := write(t, c); !s.Unchanged || first.Unchanged {
			t.Errorf("%s: the second export is new", format)
		}
		c.Out += "2"
		write(t, c)
		if diff := cmp.Diff(before, contents(t, c.Out)); diff != "" {
			t.Errorf("%s: other bytes (-first +second):\n%s", format, diff)
		}
		c.SplitSeed = 2
		var occupied *files.OccupiedError
		if _, err := tasks.Write(c); !errors.As(err, &occupied) {
			t.Errorf("%s: another seed: %v", format, err)
		}
		c.Replace = true
		write(t, c)
	}
}

// sidecarOnly are the files with gold that an export for Harbor must have.
var sidecarOnly = regexp.MustCompile(`^[a-z]+/[^/]+/environment/airqa/questions\.jsonl$`)

// golds are the texts of a question that give the answer away, if they are not in the texts that are shown anyway.
func golds(c tasks.Config) []string {
	var shown strings.Builder
	for _, q := range c.Questions {
		fmt.Fprintln(&shown, q.System, q.Prompt, q.UUID, q.Tags)
	}
	list := []string{marker}
	for _, q := range c.Questions {
		found := regexp.MustCompile(`"((?:[^"\\]|\\.)*)"\s*[,\]}]`).FindAllStringSubmatch(string(q.Evaluator.Kwargs), -1)
		if p, ok := eval.GoldAnswer(q.Evaluator); ok {
			found = append(found, []string{"", p})
		}
		for _, f := range found {
			// Short numbers are everywhere, in hashes for example.
			if gold := f[1]; len(gold) > 4 && !strings.Contains(shown.String(), gold) && !strings.HasPrefix(gold, "eval_") {
				list = append(list, gold)
			}
		}
	}
	return list
}

// Without WithGold, no gold is in any byte of an export, but in the folders that only the sidecar mounts.
func TestNoGold(t *testing.T) {
	for _, format := range formats {
		c := config(t, format)
		secrets := golds(c)
		if len(secrets) < 40 {
			t.Fatalf("only %d golds", len(secrets))
		}
		write(t, c)
		if leaks := search(t, c.Out, secrets); len(leaks) > 0 {
			t.Errorf("%s: %q", format, leaks)
		}
		c.WithGold, c.Replace = true, true
		write(t, c)
		if search(t, c.Out, secrets) == nil {
			t.Errorf("%s: no gold with WithGold", format)
		}
	}
}

func search(t *testing.T, dir string, secrets []string) (leaks []string) {
	t.Helper()
	for name, text := range contents(t, dir) {
		if sidecarOnly.MatchString(name) {
			if !strings.Contains(text, marker) {
				t.Errorf("%s is not the question file", name)
			}
			continue
		}
		if strings.HasSuffix(name, ".parquet") {
			text += decoded(t, text)
		}
		for _, s := range secrets {
			if strings.Contains(text, s) {
				leaks = append(leaks, name+": "+s)
			}
		}
	}
	return leaks
}

func TestHarbor(t *testing.T) {
	c := config(t, tasks.Harbor)
	c.WithGold, c.Split = true, nil
	c.Questions = c.Questions[:5]
	c.Questions[1].UUID = "a question/with 'signs'"
	write(t, c)
	all := contents(t, c.Out)
	for _, name := range []string{
		"task.toml", "instruction.md", "environment/docker-compose.yaml", "environment/airqa/questions.jsonl", "environment/airqa/start.sh",
		"environment/airqa/request.sh", "tests/Dockerfile", "tests/test.sh", "solution/solve.sh", "solution/answer.json",
	} {
		if all["train/"+c.Questions[0].UUID+"/"+name] == "" {
			t.Errorf("no %s", name)
		}
	}
	list := all["train/dataset.toml"]
	if !strings.Contains(list, "name = \"airqa/"+c.Questions[0].UUID+"\"\ndigest = \""+digest(all, "train/"+c.Questions[0].UUID+"/")+"\"\n") {
		t.Errorf("the digest of the first task is wrong:\n%s", list)
	}
	if n := len(regexp.MustCompile(`(?m)^digest = "sha256:[0-9a-f]{64}"$`).FindAllString(list, -1)); n != 5 {
		t.Errorf("%d digests in\n%s", n, list)
	}
	if !regexp.MustCompile(`name = "airqa/q-[0-9a-f]{16}"`).MatchString(list) {
		t.Errorf("no name for an id with a slash:\n%s", list)
	}
	if got := all["train/"+c.Questions[4].UUID+"/solution/answer.json"]; got != "{\"answer\":\"crosstalk\"}\n" {
		t.Errorf("the oracle answers %s", got)
	}
}

// digest is the content hash of Harbor's Packager.
func digest(all map[string]string, dir string) string {
	outer := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if relative, ok := strings.CutPrefix(name, dir); ok {
			_, _ = fmt.Fprintf(outer, "%s\x00%x\n", relative, sha256.Sum256([]byte(all[name])))
		}
	}
	return fmt.Sprintf("sha256:%x", outer.Sum(nil))
}

func TestNoQuestions(t *testing.T) {
	var usage *qa.UsageError
	if _, err := tasks.Write(tasks.Config{Options: tasks.Options{Format: tasks.Verl, Out: t.TempDir()}}); !errors.As(err, &usage) {
		t.Error(err)
	}
}
