package runlog_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/qa"
	"airqa/runlog"
)

// withLog is a run directory with a log.
func withLog(t *testing.T, lines ...string) string {
	t.Helper()
	dir := create(t)
	if err := os.WriteFile(filepath.Join(dir, runlog.LogFile), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// event is a line of episode "u#0".
func event(seq int, kind, rest string) string {
	return fmt.Sprintf(`{"type":%q,"episode":"u#0","seq":%d,"time":"2031-05-01T12:00:00Z"%s}`, kind, seq, rest)
}

const (
	startRest = `,"uuid":"u","repeat":0`
	callRest  = `,"step":1,"reply":{"text":"r","usage":{"prompt":100,"completion":10}}`
)

// Lines that are not events are counted with their numbers; the rest of the log is read.
func TestBadLines(t *testing.T) {
	dir := withLog(t, event(1, "start", startRest),
		`{"type":"start","seq":1}`, `{"type":"end","episode":"u#0","seq":"two"}`, `{"episode":"u#0","seq":2}`, `"text"`, "",
		event(2, "end", `,"outcome":"answered"`))
	r, got := read(t, dir)
	var lines []int
	for _, bad := range r.BadLines {
		lines = append(lines, bad.Line)
	}
	if diff := cmp.Diff([]int{2, 3, 4, 5, 6}, lines); diff != "" || len(got) != 1 || !got[0].Finished() {
		t.Errorf("episodes %+v, bad lines (-want +got):\n%s", got, diff)
	}
	if want := "log.jsonl:2: not an event of a run log"; len(r.BadLines) > 0 && r.BadLines[0].Error() != want {
		t.Errorf("error %q, want %q", r.BadLines[0], want)
	}
}

// An event of another shape damages its episode from there on. The usage of later calls still counts.
func TestDamagedEvents(t *testing.T) {
	const damagedCall = `,"step":[],"reply":{"usage":{"prompt":100,"completion":10}}`
	for _, tt := range []struct{ name, line, want string }{
		{"start", event(2, "start", `,"uuid":7`), "cannot unmarshal"},
		{"message", event(2, "message", `,"parts":{}`), "cannot unmarshal"},
		{"text of a message", event(2, "message", `,"parts":[{"text":{"quoted":"\"\\z\""}}]`), "quoted text"},
		{"text of a message, not even quoted", event(2, "message", `,"parts":[{"text":{"quoted":7}}]`), "cannot unmarshal"},
		{"observation of no step", event(2, "message", `,"parts":[{"observation":1}]`), "refers to the observation of step 1, which is not there"},
		{"call", event(2, "call", damagedCall), "cannot unmarshal"},
		{"observation", event(2, "observation", `,"step":[]`), "cannot unmarshal"},
		{"observation without a step", event(2, "observation", `,"step":1`), "observation without a step"},
		{"observation of step 0", event(2, "observation", `,"step":0`), "observation without a step"},
		{"lost requests", event(2, "lost", `,"attempts":{}`), "cannot unmarshal"},
		{"end", event(2, "end", `,"outcome":7`), "cannot unmarshal"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := withLog(t, event(1, "start", startRest), tt.line, event(3, "call", callRest), event(4, "message", ""), event(5, "call", callRest))
			r, err := runlog.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			var damage *runlog.DamageError
			if _, err := r.Episode("u", 0); !errors.As(err, &damage) || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want %q", err, tt.want)
			}
			calls := 2
			if tt.name == "call" {
				calls = 3
			}
			if want := (qa.Usage{Prompt: 100 * calls, Completion: 10 * calls}); damage.Line != 2 || damage.Calls != calls || damage.After != want {
				t.Errorf("damage %+v, want %d calls from line 2 on", damage, calls)
			}
		})
	}
}

// A message may refer to an observation only once that has been made.
func TestReferenceBeforeObservation(t *testing.T) {
	dir := withLog(t, event(1, "start", startRest), event(2, "call", callRest), event(3, "message", `,"parts":[{"observation":1}]`))
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var damage *runlog.DamageError
	if rec, err := r.Episode("u", 0); !errors.As(err, &damage) || damage.Line != 3 || len(rec.Steps) != 1 || rec.UUID != "u" {
		t.Errorf("read %+v, %v", rec, err)
	}
}

// An episode without its start is known by its name.
func TestMissingStart(t *testing.T) {
	r, err := runlog.Open(withLog(t, event(2, "call", callRest)))
	if err != nil {
		t.Fatal(err)
	}
	var damage *runlog.DamageError
	if rec, err := r.Episode("u", 0); !errors.As(err, &damage) || damage.Line != 1 || rec.UUID != "u" || rec.Episode != "u#0" {
		t.Errorf("read %+v, %v", rec, err)
	}
}

// An episode that was interrupted between a call and its observation resumes with the observation.
func TestResumeBeforeObservation(t *testing.T) {
	dir := withLog(t, event(1, "start", startRest), event(2, "call", callRest))
	_, got := read(t, dir)
	e, err := writer(t, dir, nil).Begin("u", 0, &got[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Observation(qa.Step{N: 1, By: qa.ByModel, Observation: &qa.Observation{Status: qa.StatusOK, Text: "seen"}}); err != nil {
		t.Fatal(err)
	}
	if _, got = read(t, dir); got[0].Events != 3 || got[0].Steps[0].Observation.Text != "seen" {
		t.Errorf("read %+v", got)
	}
}

// The usage of damaged attempts adds up: calls before the damage, the damaged one, and those after it.
func TestSpentByDamagedAttempts(t *testing.T) {
	charged := `,"step":1,"reply":{"text":"r","usage":{"prompt":100,"completion":10},"attempts":[{"error":"timeout","charged":{"prompt":7}}]}`
	attempt := []string{event(1, "start", startRest), event(2, "call", charged), event(4, "call", callRest), event(5, "call", callRest)}
	dir := withLog(t, append(append(attempt, attempt...), event(1, "start", startRest), event(2, "call", callRest))...)
	_, got := read(t, dir)
	if want := (qa.Usage{Prompt: 614, Completion: 60}); len(got) != 1 || got[0].Spent != want || got[0].Events != 2 || got[0].Usage().Prompt != 100 {
		t.Errorf("spent %+v, want %+v; episode %+v", got[0].Spent, want, got[0])
	}
}

// An episode that was resumed after a failure is open again.
func TestResumedIsOpen(t *testing.T) {
	dir := withLog(t, event(1, "start", startRest), event(2, "end", `,"outcome":"endpoint_error","reason":"503"`), event(3, "message", `,"role":"user"`))
	if _, got := read(t, dir); got[0].Outcome != "" || got[0].Reason != "" || got[0].Finished() {
		t.Errorf("outcome %q (%s)", got[0].Outcome, got[0].Reason)
	}
}

// A text that is missing from the directory is an error of the episode, which is otherwise complete.
func TestMissingTexts(t *testing.T) {
	ref := func(s string) string { return `{"ref":"` + runlog.Hash(s) + `"}` }
	dir := withLog(t, event(1, "start", startRest), event(2, "message", `,"role":"system","parts":[`+ref("one")+`,{"text":"!"}]`),
		event(3, "message", `,"role":"system","parts":[`+ref("two")+`]`), event(4, "end", `,"outcome":"answered"`))
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var blob *runlog.BlobError
	rec, err := r.Episode("u", 0)
	if !errors.As(err, &blob) || blob.Name != "texts/"+runlog.Hash("one")+".txt" || !strings.HasPrefix(err.Error(), "u#0: ") {
		t.Errorf("error %v, want the first missing text", err)
	}
	if len(rec.Messages) != 2 || rec.Messages[0].Text != "!" || !rec.Finished() {
		t.Errorf("read %+v", rec)
	}
	for _, sum := range []string{"", "00", "../run.json", strings.Repeat("z", 64)} {
		if text, err := r.Text(sum); text != "" || err == nil || !strings.Contains(err.Error(), "is not named by a hash") {
			t.Errorf("text %q: %q, %v", sum, text, err)
		}
	}
}

// An image that is missing is named with its episode.
func TestMissingImages(t *testing.T) {
	sum := runlog.Hash("png")
	for where, line := range map[string]string{
		"message":     event(2, "message", `,"images":[{"sha256":"`+sum+`"}]`),
		"observation": event(2, "observation", `,"step":1,"by":"program","images":[{"sha256":"`+sum+`"}]`),
	} {
		r, got := read(t, withLog(t, event(1, "start", startRest), line))
		var blob *runlog.BlobError
		if err := r.LoadImages(&got[0]); !errors.As(err, &blob) || !strings.Contains(err.Error(), "u#0: images/"+sum+".png") {
			t.Errorf("%s: %v", where, err)
		}
	}
}

// Readers report a log that is gone, replaced or shortened after it was opened.
func TestLogChangesAfterOpen(t *testing.T) {
	log := func(dir string) string { return filepath.Join(dir, runlog.LogFile) }
	for _, tt := range []struct {
		name   string
		change func(dir string) error
		none   bool // Episodes yields nothing
	}{
		{"gone", func(dir string) error { return os.Remove(log(dir)) }, true},
		{"a folder", func(dir string) error { return errors.Join(os.Remove(log(dir)), os.Mkdir(log(dir), 0o700)) }, false},
		{"shorter", func(dir string) error { return os.Truncate(log(dir), 20) }, false},
		{"overwritten", func(dir string) error {
			return os.WriteFile(log(dir), []byte(strings.Repeat("x", 1000)), 0o600)
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := withLog(t, event(1, "start", startRest))
			r, err := runlog.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.change(dir); err != nil {
				t.Fatal(err)
			}
			failures := 0
			for _, err := range r.Episodes() {
				if err != nil {
					failures++
				}
			}
			if (failures == 0) != tt.none {
				t.Errorf("%d errors of all episodes", failures)
			}
			if _, err := r.Episode("u", 0); err == nil {
				t.Error("no error of the episode")
			}
			if events, err := r.Events("u#0"); err == nil {
				t.Errorf("events %+v without an error", events)
			}
		})
	}
}

// Events has those of one episode, even if it is only one, and none of an unknown episode.
func TestEvents(t *testing.T) {
	r, _ := read(t, withLog(t, event(1, "start", startRest)))
	if events, err := r.Events("u#0"); err != nil || len(events) != 1 || string(events[0].Line) != event(1, "start", startRest)+"\n" {
		t.Errorf("events %+v, %v", events, err)
	}
	if events, err := r.Events("v#0"); err != nil || len(events) != 0 {
		t.Errorf("events of an unknown episode %+v, %v", events, err)
	}
	if _, err := r.Episode("v", 0); !errors.Is(err, runlog.ErrNoEpisode) {
		t.Errorf("unknown episode: %v", err)
	}
	empty, _ := read(t, create(t))
	if events, err := empty.Events("u#0"); err != nil || len(events) != 0 {
		t.Errorf("events without a log %+v, %v", events, err)
	}
}

// Only a start with number 1 begins another attempt.
func TestEventsOfLastAttempt(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  int
	}{
		{"another attempt", []string{event(1, "start", startRest), event(3, "end", ""), event(1, "start", startRest)}, 1},
		{"a start out of place", []string{event(1, "start", startRest), event(2, "start", startRest), event(3, "end", "")}, 3},
		{"another first event", []string{event(1, "start", startRest), event(1, "message", ""), event(2, "end", "")}, 3},
	} {
		r, err := runlog.Open(withLog(t, tt.lines...))
		if err != nil {
			t.Fatal(err)
		}
		if events, err := r.Events("u#0"); err != nil || len(events) != tt.want {
			t.Errorf("%s: %d events, want %d; %v", tt.name, len(events), tt.want, err)
		}
	}
}

// The hashes of a run are those of its files as they were read, without a torn line.
func TestHashes(t *testing.T) {
	whole := event(1, "start", startRest) + "\n"
	dir := withLog(t, event(1, "start", startRest), "{")
	log := filepath.Join(dir, runlog.LogFile)
	if err := os.Truncate(log, int64(len(whole))+1); err != nil {
		t.Fatal(err)
	}
	r, _ := read(t, dir)
	config, err := os.ReadFile(filepath.Join(dir, runlog.RunFile))
	if err != nil {
		t.Fatal(err)
	}
	if id, err := r.ID(); err != nil || id != runlog.Hash(string(config)) {
		t.Errorf("id %s, %v", id, err)
	}
	for _, after := range []string{"{", "", whole + whole} { // torn, repaired and appended to
		if err := os.WriteFile(log, []byte(whole+after), 0o600); err != nil {
			t.Fatal(err)
		}
		if sum, err := r.LogHash(); err != nil || sum != runlog.Hash(whole) {
			t.Errorf("followed by %q: hash %s, %v", after, sum, err)
		}
	}
	if err := os.Truncate(log, 9); err != nil {
		t.Fatal(err)
	}
	if _, err := r.LogHash(); err == nil {
		t.Error("a log that has become shorter has a hash")
	}
	if err := errors.Join(os.Remove(log), os.Remove(filepath.Join(dir, runlog.RunFile))); err != nil {
		t.Fatal(err)
	}
	_, errLog := r.LogHash()
	_, errID := r.ID()
	if !errors.Is(errLog, os.ErrNotExist) || !errors.Is(errID, os.ErrNotExist) {
		t.Errorf("files that are gone: %v, %v", errLog, errID)
	}
	empty, _ := read(t, create(t))
	if sum, err := empty.LogHash(); err != nil || sum != runlog.Hash("") {
		t.Errorf("hash of no log %s, %v", sum, err)
	}
}

// Episodes reads those that are named, and stops when the caller does.
func TestSomeEpisodes(t *testing.T) {
	var lines []string
	for _, id := range []string{"a", "b", "c"} {
		lines = append(lines, strings.NewReplacer(`"u#0"`, `"`+id+`#0"`, `"u"`, `"`+id+`"`).Replace(event(1, "start", startRest)))
	}
	r, _ := read(t, withLog(t, lines...))
	var got []string
	for rec, err := range r.Episodes("c#0", "a#0") {
		if err != nil {
			t.Error(err)
		}
		got = append(got, rec.UUID)
	}
	for rec := range r.Episodes() {
		got = append(got, rec.UUID)
		if rec.UUID == "b" {
			break
		}
	}
	if diff := cmp.Diff([]string{"c", "a", "a", "b"}, got); diff != "" {
		t.Errorf("episodes (-want +got):\n%s", diff)
	}
}

// Skim yields every line, whatever the order of its keys, and resumes after any of them.
func TestSkim(t *testing.T) {
	whole := event(1, "end", "")
	lines := []struct {
		text  string
		event bool
	}{
		{whole, true},
		{event(1, "end", `,"reason":"`+strings.Repeat(long, 10)+`"`), true},
		{`{"type":"end","seq":1,"episode":"u#0","time":"2031-05-01T12:00:00Z"}`, true},
		{`{"episode":"u#0","type":"end","seq":1,"time":"2031-05-01T12:00:00Z"}`, true},
		{`{"type":"end","episode":"u#0","time":"2031-05-01T12:00:00Z","seq":1} `, true},
		{`{"type":"end","episode":"\u0075#0","seq":1,"time":"2031-05-01T12:00:00Z"}`, true},
		{`{"type":"end","episode":"u#0","seq":1, "time":"2031-05-01T12:00:00Z"}`, true},
		{"no event", false},
		{"", false},
		{strings.Replace(whole, "2031-05-01T12:00:00Z", "noon", 1), false},
		{`{"type":"end","episode":"","seq":2}`, false},
		{`{"type":"","episode":"u#0","seq":2}`, false},
		{`{"type":"end","episode":7}`, false},
		{whole[:len(whole)-1], false},
		{whole[:len(whole)-2], false},
		{whole[:len(whole)-1] + whole[5:] + "x", false},
		{whole, true},
	}
	type mark struct {
		Type, Episode string
		Time          time.Time
		End           int64
	}
	var texts []string
	var want []mark
	end := int64(0)
	for _, line := range lines {
		var m mark
		if line.event {
			m = mark{"end", "u#0", clock, 0}
		}
		end += int64(len(line.text)) + 1
		m.End = end
		want, texts = append(want, m), append(texts, line.text)
	}
	dir := withLog(t, texts...)
	skim := func(from int64) (marks []mark) {
		for m, err := range runlog.Skim(dir, from) {
			marks = append(marks, mark{m.Type, m.Episode, m.Time, m.End})
			if err != nil {
				t.Error(err)
			}
		}
		return marks
	}
	if diff := cmp.Diff(want, skim(0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, m := range want[:len(want)-1] {
		if diff := cmp.Diff(want[i+1:], skim(m.End)); diff != "" {
			t.Errorf("from line %d on (-want +got):\n%s", i+1, diff)
		}
	}
	for range runlog.Skim(dir, 0) {
		break // must not yield again
	}
}

// A torn line and a missing log have no events.
func TestSkimTorn(t *testing.T) {
	dir := withLog(t, event(1, "start", startRest), event(2, "end", ""))
	if err := os.Truncate(filepath.Join(dir, runlog.LogFile), int64(len(event(1, "start", startRest))+20)); err != nil {
		t.Fatal(err)
	}
	if n := len(skimmed(dir, 0)); n != 1 {
		t.Errorf("%d events, want the whole one", n)
	}
	if n := len(skimmed(create(t), 0)); n != 0 {
		t.Errorf("%d events without a log", n)
	}
}

// skimmed lists what Skim yields, or the error.
func skimmed(dir string, from int64) (list []error) {
	for _, err := range runlog.Skim(dir, from) {
		list = append(list, err)
	}
	return list
}

// Skim reports a log that it cannot read.
func TestSkimFails(t *testing.T) {
	folder := create(t)
	if err := os.Mkdir(filepath.Join(folder, runlog.LogFile), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, errs := range map[string][]error{
		"a folder": skimmed(folder, 0), "a negative offset": skimmed(withLog(t, event(1, "start", startRest)), -1),
	} {
		if len(errs) != 1 || errs[0] == nil {
			t.Errorf("%s: errors %v, want one", name, errs)
		}
	}
}

// A mark has the cost of a call and the content of an end.
func TestMarks(t *testing.T) {
	attempts := []qa.Attempt{{Status: 500, Error: qa.FailServer}, {Status: 200}}
	reply := `,"reply":{"usage":{"prompt":9},"attempts":[{"status":500,"error":"server"}]%s}`
	for _, tt := range []struct {
		kind, rest string
		want       runlog.Mark
	}{
		{"call", fmt.Sprintf(reply, `,"finish":"length"`), runlog.Mark{Usage: qa.Usage{Prompt: 9}, Attempts: attempts[:1], Finish: qa.FinishLength}},
		{"call", fmt.Sprintf(reply, `,"from_cache":true`), runlog.Mark{Attempts: attempts[:1]}},
		{"lost", `,"attempts":[{"status":500,"error":"server"},{"status":200}]`, runlog.Mark{Attempts: attempts}},
		{"end", `,"outcome":"answered","reason":"why","usage":{"prompt":9}`, runlog.Mark{Outcome: qa.Answered, Reason: "why", Usage: qa.Usage{Prompt: 9}}},
	} {
		tt.want.Type, tt.want.Episode, tt.want.Time = tt.kind, "u#0", clock
		if diff := cmp.Diff(tt.want, mark(t, event(1, tt.kind, tt.rest)), cmpopts.IgnoreFields(runlog.Mark{}, "End")); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.kind, tt.rest, diff)
		}
	}
	for _, line := range []string{event(1, "call", `,"reply":[]`), event(1, "end", `,"outcome":3`)} {
		if m := mark(t, line); m.Err == nil || m.Usage != (qa.Usage{}) || m.Outcome != "" {
			t.Errorf("%s: %+v, want an error", line, m)
		}
	}
}

// mark returns the mark of a log of one line.
func mark(t *testing.T, line string) (m runlog.Mark) {
	t.Helper()
	for got, err := range runlog.Skim(withLog(t, line), 0) {
		if m = got; err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// Whatever is read is closed again: a viewer reads the same runs for days.
func TestReadersCloseFiles(t *testing.T) {
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("the system does not list open files")
		}
		return len(entries)
	}
	dir := create(t)
	w := writer(t, dir, nil)
	record(t, begin(t, w), episode())
	if err := errors.Join(w.Close(), runlog.WriteScores(dir, runlog.Scoring{Mode: "fixed", Judge: "offline"}, nil, nil)); err != nil {
		t.Fatal(err)
	}
	all := func() {
		r, got := read(t, dir)
		_, errEpisode := r.Episode("u", 0)
		_, errEvents := r.Events("u#0")
		_, errScorings := runlog.Scorings(dir)
		for range runlog.Skim(dir, 0) {
			continue
		}
		if err := errors.Join(errEpisode, errEvents, errScorings, r.LoadImages(&got[0])); err != nil {
			t.Fatal(err)
		}
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // collecting a file closes it
	all()
	before := open()
	all()
	if after := open(); after != before {
		t.Errorf("%d files are open, %d before", after, before)
	}
}
