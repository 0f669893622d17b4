package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/fixtures"
	"airqa/internal/testkit"
	"airqa/internal/testkit/openaitest"
	"airqa/qa"
	"airqa/runlog"
)

// A run that is killed at random moments, twenty times, and started again each time, ends with the same table and the
// same trajectories as one that nothing disturbed; no event is lost or doubled, and no reply is paid for twice but
// those that were on their way when the program died.
func TestKilledRun(t *testing.T) {
	t.Parallel()
	data := ingested(t)
	dir := t.TempDir()
	questions := filepath.Join(dir, "questions.jsonl")
	if err := os.WriteFile(questions, fixtures.Questions(), 0o600); err != nil {
		t.Fatal(err)
	}
	const workers = 3
	// A reply takes a while, so that the program does not end between the call that a kill waits for and the kill.
	slow := openaitest.Config{Reply: func(messages []openaitest.Message) string {
		time.Sleep(40 * time.Millisecond)
		return policyReply(messages)
	}}
	quiet, disturbed := openaitest.New(slow), openaitest.New(slow)
	defer quiet.Close()
	defer disturbed.Close()
	command := func(out, endpoint string) *exec.Cmd {
		c := exec.CommandContext(t.Context(), os.Args[0], "run", "--data", data, "--questions", questions,
			"--baseline", "agentic-hybrid-view", "--model", "openai:policy", "--out", filepath.Join(dir, out), "-j", "3")
		c.Env = append(os.Environ(), asProgram+"=1", "OPENAI_BASE_URL="+endpoint, "OPENAI_API_KEY=sk-test-key-that-is-long")
		return c
	}
	if raw, err := command("quiet", quiet.URL()).CombinedOutput(); err != nil {
		t.Fatalf("the undisturbed run: %v\n%s", err, raw)
	}
	planned := testkit.Rounds(4, 20)
	kills := killed(t, planned, disturbed.Calls, func() *exec.Cmd { return command("killed", disturbed.URL()) })
	if raw, err := command("killed", disturbed.URL()).CombinedOutput(); err != nil {
		t.Fatalf("the last start: %v\n%s", err, raw)
	}
	want, got := trajectories(t, filepath.Join(dir, "quiet")), trajectories(t, filepath.Join(dir, "killed"))
	if kills < planned/2 {
		t.Errorf("only %d of %d kills met a working program", kills, planned)
	}
	if len(want) != 40 {
		t.Fatalf("%d trajectories of 40 questions", len(want))
	}
	times := cmp.Options{
		cmpopts.IgnoreTypes(time.Time{}),
		cmpopts.IgnoreFields(qa.Reply{}, "Attempts", "ID"),
	}
	if diff := cmp.Diff(want, got, times); diff != "" {
		t.Errorf("trajectories (-undisturbed +killed):\n%s", diff)
	}
	if a, b := scored(t, filepath.Join(dir, "quiet")), scored(t, filepath.Join(dir, "killed")); a != b {
		t.Errorf("tables differ:\n%s\n%s", a, b)
	}
	if extra := disturbed.Calls() - quiet.Calls(); extra < 0 || extra > kills*workers {
		t.Errorf("%d calls undisturbed, %d with %d kills of %d workers", quiet.Calls(), disturbed.Calls(), kills, workers)
	}
	t.Logf("%d kills met a working program; %d calls undisturbed, %d disturbed", kills, quiet.Calls(), disturbed.Calls())
}

// killer kills programs at random moments of their work.
type killer struct {
	t      *testing.T
	random *rand.Rand
	span   time.Duration // how long such a program works: the last one that was not killed
}

func newKiller(t *testing.T, span time.Duration) *killer {
	return &killer{t: t, random: rand.New(rand.NewPCG(1, 2)), span: span} //nolint:gosec // the moments need not be secret, only repeatable
}

// until kills programs until n kills have come before the end of one. After each it calls check, with hit false if the
// program ended first.
func (k *killer) until(n int, command func() *exec.Cmd, check func(hit bool)) {
	k.t.Helper()
	for starts := 0; n > 0; starts++ {
		if starts == 200 {
			k.t.Fatalf("%d kills came too late, %d more are needed", starts, n)
		}
		hit := k.kill(command())
		if hit {
			n--
		}
		check(hit)
	}
}

func (k *killer) kill(c *exec.Cmd) bool {
	k.t.Helper()
	begun, moment := time.Now(), time.Duration(k.random.Int64N(int64(k.span)))
	if err := c.Start(); err != nil {
		k.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			k.t.Fatalf("%s: %v before the kill", strings.Join(c.Args[1:], " "), err)
		}
		k.span = time.Since(begun)
		return false
	case <-time.After(moment):
		_ = c.Process.Kill()
		return <-ended != nil
	}
}

// killed starts a command n times and kills it after a random number of further calls and a random while. It counts the
// kills that came before the end.
func killed(t *testing.T, n int, calls func() int, command func() *exec.Cmd) int {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the moments need not be secret, only repeatable
	met := 0
	for range n {
		c := command()
		before, wanted := calls(), 1+random.IntN(9)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		waitFor(t, func() bool { return calls() >= before+wanted || len(ended) > 0 })
		time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
		_ = c.Process.Kill()
		if err := <-ended; err != nil {
			met++
		}
	}
	return met
}

func trajectories(t *testing.T, dir string) map[string]qa.Trajectory {
	t.Helper()
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Torn != 0 || len(r.BadLines) != 0 || r.Unknown != 0 {
		t.Errorf("%s: torn %d, bad %v, unknown %d", dir, r.Torn, r.BadLines, r.Unknown)
	}
	all := make(map[string]qa.Trajectory)
	for rec, err := range r.Episodes() {
		if err != nil {
			t.Fatal(err)
		}
		if !rec.Finished() {
			t.Errorf("%s: %s ended as %q", dir, rec.Episode, rec.Outcome)
		}
		all[rec.Episode] = rec.Trajectory
	}
	return all
}

// scored scores a run and returns the table.
func scored(t *testing.T, dir string) string {
	t.Helper()
	for _, args := range [][]string{{"score", dir, "--judge", "offline"}, {"report", dir, "--format", "md"}} {
		c := exec.CommandContext(t.Context(), os.Args[0], args...)
		c.Env = append(os.Environ(), asProgram+"=1")
		raw, err := c.Output()
		if err != nil {
			t.Fatalf("airqa %s: %v", strings.Join(args, " "), err)
		}
		if args[0] == "report" {
			return string(raw)
		}
	}
	return ""
}
