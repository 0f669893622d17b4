package train_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/internal/testkit"
	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train"
)

// withoutData ignores the bytes of images, which the log keeps in files.
var withoutData = cmpopts.IgnoreFields(qa.Image{}, "Data")

// The context of every row is the prompt that the model received, byte for byte, and so are its tools.
func TestContextIsThePrompt(t *testing.T) {
	seen := make(map[train.Reason]int)
	rows, overflowed, short, calls := 0, 0, 0, 0
	for seed := range uint64(24) {
		c := recordtest.Config{
			Dir: recordtest.Dir(t, "run"), Baseline: []string{"agentic-hybrid-view", "agentic-hybrid", "text2sql", "rag"}[seed%4],
			Settings: qa.DefaultSettings(), Repeats: 2, Seed: seed, Thinking: seed%2 == 0, Interrupt: seed%3 == 0,
		}
		c.Settings.Protocol = []qa.Protocol{qa.ReActText, qa.NativeTools, qa.Mixed, "react-json", "react-xml", "react-yaml"}[seed%6]
		c.Settings.Window = 1 + int(seed%5)
		made := recordtest.Make(t, c)
		run := open(t, made.Run)
		for rec, err := range made.Run.Episodes() {
			if err != nil {
				t.Fatal(err)
			}
			got, dropped := run.Rows(rec, train.RowOptions{})
			checkAccounted(t, run, rec, got, dropped)
			for _, d := range dropped {
				seen[d.Reason]++
			}
			for _, row := range got {
				checkPrompt(t, made, row)
				rows++
				calls += len(row.Tools)
				if len(row.Context) < len(rec.Messages)-2 {
					short++
				}
			}
			for _, s := range rec.Steps {
				if s.Reply != nil && len(s.Reply.Attempts) > 1 {
					overflowed++
				}
			}
		}
	}
	if rows < 200 || overflowed == 0 || short == 0 || calls == 0 {
		t.Errorf("%d rows, %d after refused prompts, %d with a part of the conversation, %d with tools: too few to test anything", rows, overflowed, short, calls)
	}
	for _, reason := range []train.Reason{train.NoAction, train.BadSyntax, train.UnknownAction, train.BadParameter, train.ActionFailed} {
		if seen[reason] == 0 {
			t.Errorf("no turn was dropped as %s: %v", reason, seen)
		}
	}
}

// checkPrompt checks that the context of a row is the prompt.
func checkPrompt(t *testing.T, made recordtest.Made, row train.Row) {
	t.Helper()
	want := made.Requests[recordtest.Key{UUID: row.UUID, Repeat: row.Repeat, Step: row.Turn}]
	if diff := cmp.Diff(want.Messages, row.Context, withoutData); diff != "" {
		t.Fatalf("%s: %s#%d step %d: context (-prompt +row):\n%s", made.Run.Dir, row.UUID, row.Repeat, row.Turn, diff)
	}
	if diff := cmp.Diff(want.Tools, row.Tools); diff != "" {
		t.Fatalf("%s: tools (-prompt +row):\n%s", made.Run.Dir, diff)
	}
}

// So it is in forks, before the changed message and after it.
func TestContextOfForks(t *testing.T) {
	before, after := 0, 0
	for seed := range uint64(6) {
		c := recordtest.Config{
			Dir: recordtest.Dir(t, "run"), Baseline: []string{"agentic-hybrid-view", "agentic-hybrid"}[seed%2],
			Settings: qa.DefaultSettings(), Repeats: 2, Seed: seed, Thinking: seed%2 == 0,
		}
		c.Settings.Protocol = []qa.Protocol{qa.ReActText, qa.NativeTools, qa.Mixed}[seed%3]
		c.Settings.Window = 1 + int(seed%3)
		if seed%2 == 1 {
			c.Private, c.Redact = private, redactAlice
		}
		made := recordtest.Make(t, c)
		for rec, err := range made.Run.Episodes() {
			if err != nil {
				t.Fatal(err)
			}
			if len(rec.Steps) < 2 {
				continue
			}
			c.Dir, c.Seed = recordtest.Dir(t, "fork"), seed+100
			c.Interrupt = seed%3 == 0
			fork := runlog.Fork{Run: "..", Episode: rec.Episode, Step: 1 + int(seed)%(len(rec.Steps)-1), Changed: []string{runlog.ForkReply, runlog.ForkObservation}[seed/3%2]}
			forked := recordtest.Fork(t, c, made, fork)
			run := open(t, forked.Run)
			again, err := forked.Run.Episode(rec.UUID, rec.Repeat)
			if err != nil {
				t.Fatal(err)
			}
			rows, dropped := run.Rows(again, train.RowOptions{})
			checkAccounted(t, run, again, rows, dropped)
			for _, row := range rows {
				checkPrompt(t, forked, row)
				if row.Turn <= fork.Step {
					before++
				} else {
					after++
				}
			}
		}
	}
	if before < 20 || after < 20 {
		t.Errorf("%d rows up to the changed message and %d after it: too few to test anything", before, after)
	}
}

// private is what the redactor of a run removes, and vendor keys and an address of e-mail.
const private = "/home/alice/secret sk-ant-api03-9fQ2xLr7Vb3Kd0Wc the-key-of-alice, ann@lab.org, sk-learn-compatible-estimators"

var redactAlice = runlog.Redactor([]string{"the-key-of-alice"}, "/home/alice")

// Private text anywhere in a reply changes neither what a resumed episode shows, nor the places in the logged reply.
func TestRowsOfPrivateReplies(t *testing.T) {
	removed, rows, actions := 0, 0, 0
	for seed := range uint64(testkit.Rounds(12, 24)) {
		c := recordtest.Config{
			Baseline: []string{"agentic-hybrid-view", "agentic-hybrid", "text2sql", "rag"}[seed%4], Settings: qa.DefaultSettings(),
			Seed: seed, Repeats: 2, Thinking: seed%2 == 0, Private: private, Redact: redactAlice, Text: "as in /home/alice/papers",
		}
		c.Settings.Protocol = []qa.Protocol{qa.ReActText, qa.NativeTools, qa.Mixed, "react-json", "react-xml", "react-yaml"}[seed%6]
		c.Settings.Window = 1 + int(seed%5)
		c.Dir = recordtest.Dir(t, "undisturbed")
		undisturbed := recordtest.Make(t, c)
		c.Dir, c.Interrupt = recordtest.Dir(t, "resumed"), true
		made := recordtest.Make(t, c)
		if diff := cmp.Diff(undisturbed.Requests, made.Requests); diff != "" {
			t.Fatalf("seed %d: prompts (-undisturbed +resumed):\n%s", seed, diff)
		}
		run := open(t, made.Run)
		for rec, err := range made.Run.Episodes() {
			if err != nil {
				t.Fatal(err)
			}
			got, dropped := run.Rows(rec, train.RowOptions{})
			for _, d := range dropped {
				if d.Reason == train.EmptyTarget {
					t.Errorf("%s: an empty target", d.ID)
				}
			}
			for _, row := range got {
				checkPrompt(t, made, row)
				checkPrivate(t, append(row.Context, row.Target))
				if _, action, ok := strings.Cut(row.Target.Text, "[Action]: Query(sql="); ok {
					actions++
					if strings.Contains(action, "\n~/") || strings.Contains(action, "invented") {
						t.Errorf("text after the action is trained: %q", row.Target.Text)
					}
				}
				rows++
			}
			removed += strings.Count(fmt.Sprint(rec.Messages), "[redacted]")
		}
	}
	if rows < testkit.Rounds(100, 200) || removed < testkit.Rounds(500, 1000) || actions < 5 {
		t.Errorf("%d rows, %d keys removed, %d actions as text: too few to test anything", rows, removed, actions)
	}
}

// checkPrivate checks that no message of a row is empty or has a secret.
func checkPrivate(t *testing.T, messages []qa.Message) {
	t.Helper()
	for _, m := range messages {
		if m.Role == qa.Assistant && m.Text == "" && len(m.ToolCalls) == 0 {
			t.Error("an empty turn")
		}
		all := fmt.Sprintf("%s %s", m.Text, m.ToolCalls)
		for _, secret := range []string{"alice", "sk-ant"} {
			if strings.Contains(all, secret) {
				t.Errorf("%s is in %q", secret, all)
			}
		}
	}
}

func open(t *testing.T, r *runlog.Run) *train.Run {
	t.Helper()
	run, err := train.OpenRun(r)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// checkAccounted checks that every turn of the model is a row or dropped, once.
func checkAccounted(t *testing.T, run *train.Run, rec runlog.Recorded, rows []train.Row, dropped []train.Drop) {
	t.Helper()
	count := make(map[string]int)
	for _, row := range rows {
		count[row.ID]++
	}
	for _, d := range dropped {
		count[d.ID]++
	}
	want := make(map[string]int)
	for _, id := range run.Turns(rec) {
		want[id] = 1
	}
	if diff := cmp.Diff(want, count); diff != "" {
		t.Errorf("%s: turns accounted for (-want +got):\n%s", rec.Episode, diff)
	}
	if len(want) != rec.Turns() {
		t.Errorf("%s: %d ids for %d turns", rec.Episode, len(want), rec.Turns())
	}
}

func TestRowID(t *testing.T) {
	ids := make(map[string]string)
	for _, run := range []string{"a", "b"} {
		for _, uuid := range []string{"u", "u1"} {
			for repeat := range 12 {
				for turn := range 12 {
					key := fmt.Sprint(run, " ", uuid, " ", repeat, " ", turn)
					id := train.RowID(run, uuid, repeat, turn)
					if other := ids[id]; other != "" {
						t.Errorf("%s and %s have the same id", key, other)
					}
					ids[id] = key
				}
			}
		}
	}
	// Ids are part of files that others keep: they never change.
	if got, want := train.RowID("run", "uuid", 1, 2), "a293d511ee7f4ffa1bd2117ee85ccc50"; got != want {
		t.Errorf("id %s, want %s", got, want)
	}
}
