package shard_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/run/shard"
)

// Every key is in one part, and the parts are about equal.
func TestHas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "shards")
		keys := rapid.SliceOfNDistinct(rapid.StringN(8, 20, -1), 400, 400, func(s string) string { return s }).Draw(t, "keys")
		sizes := make([]int, n)
		for _, key := range keys {
			owners := 0
			for i := range n {
				if (shard.Part{Index: i + 1, Of: n}).Has(key) {
					owners++
					sizes[i]++
				}
			}
			if owners != 1 || !(shard.Part{}).Has(key) {
				t.Fatalf("%q is in %d of %d parts", key, owners, n)
			}
		}
		if most := slices.Max(sizes); most > 2*400/n+40 {
			t.Errorf("sizes %v", sizes)
		}
	})
}

// TestDivisionStays fixes the division: a restarted shard has the papers that it had.
func TestDivisionStays(t *testing.T) {
	var got []string
	for _, key := range []string{"a", "b", "c", "https://arxiv.org/pdf/2005.11401", "2c5da742-68a4-5943-9044-b273ed4f6131", ""} {
		for i := range 16 {
			if p := (shard.Part{Index: i + 1, Of: 16}); p.Has(key) {
				got = append(got, p.String())
			}
		}
	}
	if want := "11/16 11/16 3/16 3/16 16/16 5/16"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", strings.Join(got, " "), want)
	}
}

func ingesting() shard.Job {
	j := job()
	j.Command, j.Out = shard.Ingest, "the group's papers"
	return j
}

// A task ingests its shard. Papers that cannot be read do not keep the join from starting.
func TestSlurmIngest(t *testing.T) {
	script, err := shard.Slurm{Job: ingesting(), Time: "24:00:00"}.Script()
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		exit     string
		code     int
		requeued bool
	}{
		"done": {"0", 0, false}, "unreadable papers": {"3", 0, false}, "misuse": {"2", 2, false}, "failed": {"1", 1, true}, "killed": {"137", 137, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := fakes(t, tt.exit)
			path := filepath.Join(dir, "job.sh")
			if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			if code := command(t, dir, nil, "bash", "-n", path); code != 0 {
				t.Fatalf("bash -n: %d\n%s", code, script)
			}
			code := command(t, dir, []string{"SLURM_ARRAY_TASK_ID=3", "SLURM_ARRAY_JOB_ID=77", "SLURM_JOB_ID=77"}, "bash", path)
			if requeued := argsOf(t, dir, "scontrol") != nil; code != tt.code || requeued != tt.requeued {
				t.Errorf("exit code %d, requeued %v; want %d, %v", code, requeued, tt.code, tt.requeued)
			}
			want := slices.Concat([]string{"ingest"}, odd, []string{"--shard", "3/16", "--data", "the group's papers-shards/3-of-16"})
			if diff := cmp.Diff(want, argsOf(t, dir, "airqa")); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

// The printed commands join the shards of this division, alone and as a job that waits for the array.
func TestSlurmJoin(t *testing.T) {
	s := shard.Slurm{Job: ingesting(), Time: "24:00:00"}
	script, err := s.Script()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(script) {
		if text, ok := strings.CutPrefix(line, "#   "); ok {
			lines = append(lines, strings.TrimSpace(text))
		}
	}
	if len(lines) != 4 || !strings.Contains(lines[3], `--dependency=afterany:"$job" --mem=4G --time=24:00:00 --wrap=`) {
		t.Fatalf("commands %q", lines)
	}
	dir := fakes(t, "0")
	fake := "#!/bin/sh\ncase $1 in --parsable) echo 42 ;; *) for a; do case $a in --wrap=*) sh -c \"${a#--wrap=}\" ;; --dependency=*) echo \"$a\" > \"$0.after\" ;; esac; done ;; esac\n"
	if err := os.WriteFile(filepath.Join(dir, "sbatch"), []byte(fake), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	for _, name := range []string{"1-of-16", "2-of-16", "1-of-8"} {
		if err := os.MkdirAll(filepath.Join(dir, "the group's papers-shards", name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"papers", "join", "the group's papers-shards/1-of-16", "the group's papers-shards/2-of-16", "--data", "the group's papers"}
	for name, text := range map[string]string{"alone": lines[1], "as a job": lines[2] + "\n" + lines[3]} {
		if err := os.RemoveAll(filepath.Join(dir, "airqa.args")); err != nil {
			t.Fatal(err)
		}
		if code := command(t, dir, nil, "sh", "-c", text); code != 0 {
			t.Errorf("%s: exit code %d", name, code)
		}
		if diff := cmp.Diff(want, argsOf(t, dir, "airqa")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "sbatch.after")); err != nil || string(raw) != "--dependency=afterany:42\n" {
		t.Errorf("dependency %q, %v", raw, err)
	}
}

func TestKubernetesIngest(t *testing.T) {
	k := kubernetes()
	k.Job, k.Memory, k.DataClaim = ingesting(), "4Gi", ""
	text, err := k.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	list := read(t, text)
	if len(list) != 2 || list[1].Metadata.Name != "airqa-join" || !list[1].Spec.Suspend || list[0].Spec.Completions != 16 {
		t.Fatalf("jobs %+v", list)
	}
	want := []string{"papers", "join", "the group's papers-shards/*-of-16", "--data", "the group's papers"} // a glob without shards
	c := list[1].Spec.Template.Spec.Containers[0]
	join, dir := expanded(append(c.Command, c.Args...)), fakes(t, "0")
	if code := command(t, dir, nil, join[0], join[1:]...); code != 0 {
		t.Errorf("join: exit code %d", code)
	}
	if diff := cmp.Diff(want, argsOf(t, dir, "airqa")); diff != "" {
		t.Errorf("join (-want +got):\n%s", diff)
	}
	c = list[0].Spec.Template.Spec.Containers[0]
	task := expanded(append(c.Command, c.Args...))
	for exit, code := range map[string]int{"0": 0, "3": 0, "2": 2, "1": 1} {
		dir := fakes(t, exit)
		if got := command(t, dir, []string{"JOB_COMPLETION_INDEX=2"}, task[0], task[1:]...); got != code {
			t.Errorf("airqa ends with %s: exit code %d, want %d", exit, got, code)
		}
		want := slices.Concat([]string{"ingest"}, odd, []string{"--shard", "3/16", "--data", "the group's papers-shards/3-of-16"})
		if diff := cmp.Diff(want, argsOf(t, dir, "airqa")); diff != "" {
			t.Errorf("arguments (-want +got):\n%s", diff)
		}
	}
	drained(t, task)
}

// drained checks that a pod passes the signal of its end on, and waits for the program.
func drained(t *testing.T, task []string) {
	t.Helper()
	dir := fakes(t, "0")
	text := "#!/bin/sh\ntrap 'sleep 0.2; echo drained > \"$0.end\"; exit 130' TERM\nkill -TERM $PPID\nwhile :; do sleep 0.01; done\n"
	if err := os.WriteFile(filepath.Join(dir, "airqa"), []byte(text), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	code := command(t, dir, []string{"JOB_COMPLETION_INDEX=2"}, task[0], task[1:]...)
	if _, err := os.Stat(filepath.Join(dir, "airqa.end")); err != nil || code != 130 {
		t.Errorf("code %d, %v", code, err)
	}
}

// Shards that run at a time share the connections to the embedding server.
func TestConnections(t *testing.T) {
	j := ingesting()
	if got, err := j.Connections(30); err != nil || strings.Join(got, " ") != "--embed-connections 7" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := j.Connections(0); err != nil || got != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := j.Connections(3); err == nil || !strings.Contains(err.Error(), "add --parallel 3") {
		t.Errorf("too few: %v", err)
	}
}
