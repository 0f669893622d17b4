package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"airqa/internal/testkit"
)

// The Python clients that people use, against a server in this process. internal/testkit/install.sh clients installs that of
// MCP and nemogym that of NeMo Gym, a gigabyte; for the others, install openenv 0.10.0 or openreward 0.1.167 into a folder.
func TestRealClients(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "starts Python clients")
	packages := os.Getenv("AIRQA_TEST_CLIENTS")
	if packages == "" {
		t.Skip("AIRQA_TEST_CLIENTS names no folders with the Python clients; internal/testkit/install.sh clients makes one")
	}
	w := serving(t, "")
	rows := filepath.Join(t.TempDir(), "rows")
	exitsWith(t, exitDone, "export", "tasks", "-d", ingested(t), "-q", sampleQuestions(t, 1), "--format", "nemo-gym", "-o", rows, "--server-url", w.URL)
	ex := w.plan.Picked[0]
	gold := string(w.gold[ex.UUID])
	for _, tt := range []struct {
		module, script string
		args, want     []string
	}{
		{"openenv", "openenv_client.py", []string{w.URL + "/openenv", ex.UUID, gold}, []string{
			`{"asked": true, "rows": true, "reward": 1, "done": true, "again": null, "steps": 2}`,
			`{"tools": 4, "rows": true, "reward": 1, "done": true}`,
		}},
		{"openreward", "ors_client.py", []string{w.URL, "0", gold}, []string{
			`{"tasks": 40, "tools": 4}`, `{"prompt": 2, "rows": true, "reward": 1, "finished": true}`, `{"long": true}`,
		}},
		{"mcp", "mcp_client.py", []string{w.URL + "/mcp/e/" + w.begin(t, ex.UUID)}, []string{
			`{"version": "2026-07-28", "tools": 4, "image": "image", "wrong": true}`,
			`{"version": "2025-11-25", "tools": 4, "image": "image", "wrong": true}`,
		}},
		{"nemo_gym", "nemo_client.py", []string{rows, ex.UUID, gold}, []string{
			`{"seen": [true, true, true], "reward": 1.0, "verdict": "right", "mean": 0.5}`,
		}},
	} {
		t.Run(tt.module, func(t *testing.T) {
			folders := filepath.SplitList(packages)
			at := slices.IndexFunc(folders, func(folder string) bool {
				_, err := os.Stat(filepath.Join(folder, tt.module))
				return err == nil
			})
			if at < 0 {
				t.Skipf("%s is not in AIRQA_TEST_CLIENTS", tt.module)
			}
			python, _ := os.ReadFile(filepath.Join(folders[at], "complete")) // of install.sh
			interpreter := cmp.Or(strings.TrimSpace(string(python)), "python3")
			client := exec.CommandContext(t.Context(), interpreter, append([]string{filepath.Join("testdata", "clients", tt.script)}, tt.args...)...)
			client.Env = append(os.Environ(), "PYTHONPATH="+folders[at], "OPENREWARD_SESSION_URL="+w.URL, "OPENREWARD_API_URL="+w.URL)
			out, err := client.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, line := range tt.want {
				if !strings.Contains(string(out), line) {
					t.Errorf("no line %s in\n%s", line, out)
				}
			}
		})
	}
}
