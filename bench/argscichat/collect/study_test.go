package collect_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"airqa/bench/argscichat/collect"
)

// begin is the start of the first session.
var begin = time.Date(2027, 3, 1, 9, 0, 0, 0, time.UTC)

const (
	quiet  = "Quiet Attention"
	people = `name,code,zone,proponent_sessions,expert_sessions,papers
Ada,ada-secret-1,Europe/Rome,2027-03-01 10:00-10:20,2027-03-01 10:20-10:40,Tide Tables
Ben,ben-secret-2,,01/03/2027_09:20-09:40,01/03/2027_09:00-09:20;2027-03-02 09:00-09:20#left,Quiet Attention
Cleo,cleo-secret,UTC,2027-03-02 09:00-09:20#left,,
`
	papers = `[{"title": "Quiet Attention", "abstract": "Heads attend to nothing. We let a head stay quiet.", "introduction": ["It saves 18 % of memory.", "A gate learns it."]},
{"title": "Tide Tables", "abstract": "Tides come twice a day. Tables list them.", "introduction": "We read old tables. They have errors."}]`
)

// benchmark returns the limits of the benchmark's study.
func benchmark() collect.Limits {
	return collect.Limits{MinTurns: 7, MaxTurns: 15, Message: 4 * time.Minute, Total: 20 * time.Minute, Notices: []time.Duration{15 * time.Minute, 19 * time.Minute}}
}

// table is a study with a clock that the test moves.
type table struct {
	t     *testing.T
	dir   string
	now   time.Time
	c     collect.Config
	study *collect.Study
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, limits collect.Limits) *table {
	t.Helper()
	s := &table{t: t, dir: filepath.Join(t.TempDir(), "study"), now: begin.Add(time.Second)}
	plan, err := collect.ReadPlan(write(t, "participants.csv", people))
	if err != nil {
		t.Fatal(err)
	}
	list, err := collect.ReadPapers(write(t, "papers.json", papers))
	if err != nil {
		t.Fatal(err)
	}
	s.c = collect.Config{Plan: plan, Papers: list, Limits: limits, Now: func() time.Time { return s.now }}
	s.reopen()
	t.Cleanup(func() { _ = s.study.Close() })
	return s
}

// reopen ends the process that has the study, and begins another.
func (s *table) reopen() {
	s.t.Helper()
	if s.study != nil {
		if err := s.study.Close(); err != nil {
			s.t.Fatal(err)
		}
	}
	study, err := collect.Open(s.dir, s.c)
	if err != nil {
		s.t.Fatal(err)
	}
	s.study = study
}

// meet lets two people arrive and begins their dialogue.
func (s *table) meet(codes ...string) (proponent, expert *collect.Participant) {
	s.t.Helper()
	for _, code := range codes {
		s.study.Arrive(s.study.Enter(code))
	}
	s.tick()
	return s.study.Enter(codes[0]), s.study.Enter(codes[1])
}

func (s *table) tick() bool {
	s.t.Helper()
	changed, err := s.study.Tick(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return changed
}

// turns sends complete turns to the dialogue of two people.
func (s *table) turns(p, e *collect.Participant, count int) {
	s.t.Helper()
	for range count {
		d := s.study.See(p).Dialogue
		n := len(d.Messages)
		s.send(p, collect.Draft{Dialogue: d.Number, Message: collect.Message{N: n, Text: "Why? And how?"}})
		s.send(e, collect.Draft{Dialogue: d.Number, Message: collect.Message{N: n + 1, Text: "Because of a gate. It learns.", Facts: []int{3, 1}}})
	}
}

func (s *table) send(p *collect.Participant, d collect.Draft) {
	s.t.Helper()
	if err := s.study.Send(p, d); err != nil {
		s.t.Fatal(err)
	}
}

// refused checks that a draft is refused with a text, and stored nowhere.
func (s *table) refused(p *collect.Participant, d collect.Draft, text string) {
	s.t.Helper()
	before := s.stored()
	err := s.study.Send(p, d)
	var refusal *collect.Refusal
	if !errors.As(err, &refusal) || !strings.Contains(err.Error(), text) {
		s.t.Errorf("%+v: error %v, want a refusal with %q", d, err, text)
	}
	if after := s.stored(); len(after.Messages) != len(before.Messages) {
		s.t.Errorf("%+v: %d messages, want %d", d, len(after.Messages), len(before.Messages))
	}
}

// stored is the first dialogue as it is on the disk.
func (s *table) stored() *collect.Dialogue {
	s.t.Helper()
	list, err := collect.Load(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	return list[0]
}

// Sessions are matched by their interval, whatever their zone and form.
func TestSessions(t *testing.T) {
	s := open(t, benchmark())
	ada, ben := s.study.Enter("ada-secret-1"), s.study.Enter(" ben-secret-2 ")
	if ada == nil || ben == nil || s.study.Enter("") != nil || s.study.Enter("ada-secret-") != nil {
		t.Fatal("the codes lead to other people")
	}
	v := s.study.See(ada)
	if v.Waiting == nil || v.Role != collect.Proponent || v.Waiting.Title != quiet || len(v.Later) != 1 {
		t.Errorf("Ada at 9:00 sees %+v", v)
	}
	s.now = begin.Add(19*time.Minute + 59*time.Second)
	if v := s.study.See(ben); v.Waiting == nil || v.Role != collect.Expert {
		t.Errorf("Ben before 9:20 sees %+v", v)
	}
	s.now = begin.Add(20 * time.Minute)
	if v := s.study.See(ben); v.Waiting == nil || v.Role != collect.Proponent || v.Waiting.Title != "Tide Tables" {
		t.Errorf("Ben at 9:20 sees %+v", v)
	}
	s.now = begin.Add(40 * time.Minute)
	if v := s.study.See(ben); v.Waiting != nil || v.Dialogue != nil || len(v.Later) != 1 {
		t.Errorf("Ben at 9:40 sees %+v", v)
	}
}

// A dialogue begins when both are there, and only in their session.
func TestBegin(t *testing.T) {
	s := open(t, benchmark())
	ada, ben := s.study.Enter("ada-secret-1"), s.study.Enter("ben-secret-2")
	leave := s.study.Arrive(ada)
	s.tick()
	leave()
	s.study.Arrive(ben)
	s.tick()
	if s.study.See(ben).Dialogue != nil {
		t.Fatal("a dialogue began without the proponent")
	}
	s.study.Arrive(ada)
	if !s.tick() || s.study.See(ada).Dialogue == nil || s.study.See(ben).Role != collect.Expert {
		t.Error("no dialogue began")
	}
	if s.tick() {
		t.Error("the dialogue began twice")
	}
}

func TestRefusals(t *testing.T) {
	s := open(t, benchmark())
	ada, ben := s.meet("ada-secret-1", "ben-secret-2")
	s.refused(ben, collect.Draft{Dialogue: 1, Message: collect.Message{Text: "I begin"}}, "turn of the Proponent")
	s.refused(ada, collect.Draft{Dialogue: 1, Message: collect.Message{Text: " \n\x00"}}, "empty")
	s.refused(ada, collect.Draft{Dialogue: 1, Message: collect.Message{Text: strings.Repeat("é", 4001)}}, "4001 characters")
	s.refused(ada, collect.Draft{Dialogue: 1, Message: collect.Message{Text: "Bye", Final: true}}, "after 7 turns")
	s.refused(ada, collect.Draft{Dialogue: 1, Message: collect.Message{Text: "Why?", Facts: []int{0}}}, "only the Domain Expert")
	s.refused(ada, collect.Draft{Dialogue: 2, Message: collect.Message{Text: "Why?"}}, "no dialogue 2")
	s.refused(ada, collect.Draft{Dialogue: 1, Message: collect.Message{N: 2, Text: "Why?"}}, "turn of the Proponent")
	s.send(ada, collect.Draft{Dialogue: 1, Message: collect.Message{Text: "Why?"}})
	s.refused(ada, collect.Draft{Dialogue: 1, Message: collect.Message{N: 1, Text: "And?"}}, "turn of the Domain Expert")
	s.refused(ben, collect.Draft{Dialogue: 1, Message: collect.Message{N: 1, Text: "So.", Facts: []int{0, 1, 2}}}, "maximum is 2")
	s.refused(ben, collect.Draft{Dialogue: 1, Message: collect.Message{N: 1, Text: "So.", Facts: []int{1, 1}}}, "same sentence")
	s.refused(ben, collect.Draft{Dialogue: 1, Message: collect.Message{N: 1, Text: "So.", Facts: []int{4}}}, "no sentence 4")
	s.refused(ben, collect.Draft{Dialogue: 1, Message: collect.Message{N: 1, Text: "So."}}, "no rationale")
	s.send(ben, collect.Draft{Dialogue: 1, Message: collect.Message{N: 1, Text: "So."}, Bare: true})
	cleo := s.study.Enter("cleo-secret")
	if err := s.study.Send(cleo, collect.Draft{Dialogue: 1, Message: collect.Message{N: 2, Text: "Me, too"}}); err == nil {
		t.Error("a third person wrote")
	}
}

// A message that is sent again is stored once; another one in its place is refused.
func TestRetry(t *testing.T) {
	s := open(t, benchmark())
	ada, ben := s.meet("ada-secret-1", "ben-secret-2")
	question := collect.Draft{Dialogue: 1, Message: collect.Message{Text: "Why?\r\n"}}
	s.send(ada, question)
	s.send(ada, question)
	s.reopen()
	s.send(ada, question)
	answer := collect.Draft{Dialogue: 1, Message: collect.Message{N: 1, Text: "So.", Facts: []int{2, 0}}}
	s.send(ben, answer)
	s.send(ben, answer)
	s.refused(ada, collect.Draft{Dialogue: 1, Message: collect.Message{Text: "Why not?"}}, "sent already")
	s.refused(ben, question, "sent already")
	if n := len(s.study.See(ada).Dialogue.Messages); n != 2 {
		t.Errorf("%d messages", n)
	}
}

// The proponent ends after the minimum, and the expert has the last word.
func TestEndByProponent(t *testing.T) {
	s := open(t, benchmark())
	ada, ben := s.meet("ada-secret-1", "ben-secret-2")
	s.turns(ada, ben, 7)
	s.send(ada, collect.Draft{Dialogue: 1, Message: collect.Message{N: 14, Text: "Bye.", Final: true}})
	if d := s.study.See(ben).Dialogue; d.End != "" || d.Next() != collect.Expert {
		t.Errorf("after the proponent's end: %q, next %s", d.End, d.Next())
	}
	s.send(ben, collect.Draft{Dialogue: 1, Message: collect.Message{N: 15, Text: "Bye."}, Bare: true})
	if d := s.study.See(ben).Dialogue; d.End != collect.ByProponent || !d.Complete() {
		t.Errorf("end %q", d.End)
	}
	s.refused(ada, collect.Draft{Dialogue: 1, Message: collect.Message{N: 16, Text: "One more"}}, "has ended")
}

func TestEndByTurns(t *testing.T) {
	s := open(t, benchmark())
	ada, ben := s.meet("ada-secret-1", "ben-secret-2")
	s.turns(ada, ben, 15)
	if d := s.study.See(ada).Dialogue; d.End != collect.ByTurns || len(d.Messages) != 30 {
		t.Errorf("end %q after %d messages", d.End, len(d.Messages))
	}
}

// The server ends a dialogue by its clock; a message after the deadline is refused even if no tick came between.
func TestTimes(t *testing.T) {
	s := open(t, benchmark())
	ada, ben := s.meet("ada-secret-1", "ben-secret-2")
	start := s.now
	for minute := range 5 {
		s.now = start.Add(time.Duration(minute) * 239 * time.Second)
		s.turns(ada, ben, 1)
		s.now = s.now.Add(3*time.Minute + 50*time.Second)
		if d := s.study.See(ada).Dialogue; d.End != "" {
			t.Fatalf("ended %q in minute %d", d.End, minute)
		}
		notice := s.tick()
		if due := minute >= 3; notice != due {
			t.Errorf("after %s: a notice %v, want %v", s.now.Sub(start), notice, due)
		}
	}
	if left := s.study.See(ada).Dialogue.Notice(s.now); left != 14*time.Second {
		t.Errorf("%s are left", left)
	}
	s.turns(ada, ben, 1)
	s.now = start.Add(20 * time.Minute)
	s.refused(ada, collect.Draft{Dialogue: 1, Message: collect.Message{N: 12, Text: "Late"}}, "has ended")
	if d := s.stored(); d.End != collect.ByTime || !d.Complete() {
		t.Errorf("end %q", d.End)
	}
}

func TestAbandoned(t *testing.T) {
	s := open(t, benchmark())
	ada, ben := s.meet("ada-secret-1", "ben-secret-2")
	s.turns(ada, ben, 2)
	s.now = s.now.Add(4*time.Minute - time.Second)
	s.tick()
	if d := s.study.See(ada).Dialogue; d.End != "" {
		t.Errorf("ended %q too early", d.End)
	}
	s.now = s.now.Add(time.Second)
	s.tick()
	if d := s.study.See(ada).Dialogue; d.End != collect.Abandoned || d.Complete() {
		t.Errorf("end %q", d.End)
	}
}

// The expert has a minute for the last word when the proponent ends at the last moment.
func TestLastWord(t *testing.T) {
	limits := benchmark()
	limits.MinTurns = 1
	s := open(t, limits)
	ada, ben := s.meet("ada-secret-1", "ben-secret-2")
	start := s.now
	for i := range 6 {
		s.now = start.Add(time.Duration(i) * 239 * time.Second)
		s.turns(ada, ben, 1)
	}
	s.now = start.Add(20*time.Minute - time.Second)
	s.send(ada, collect.Draft{Dialogue: 1, Message: collect.Message{N: 12, Text: "Bye.", Final: true}})
	s.now = s.now.Add(59 * time.Second)
	s.send(ben, collect.Draft{Dialogue: 1, Message: collect.Message{N: 13, Text: "Bye."}, Bare: true})
	if d := s.stored(); d.End != collect.ByProponent {
		t.Errorf("end %q", d.End)
	}
}

// A server that was down takes no time from the next message, but a dialogue without any further message is incomplete.
func TestRestart(t *testing.T) {
	s := open(t, benchmark())
	ada, ben := s.meet("ada-secret-1", "ben-secret-2")
	ticket := s.study.Ticket(ada)
	s.turns(ada, ben, 1)
	s.now = s.now.Add(5 * time.Minute)
	s.reopen()
	s.tick()
	if s.study.Admit(ticket) != ada || s.study.Admit("") != nil {
		t.Error("a restart changed who is logged in")
	}
	s.turns(ada, ben, 1)
	if d := s.study.See(ada).Dialogue; d.End != "" || len(d.Messages) != 4 {
		t.Errorf("%q, %d messages", d.End, len(d.Messages))
	}
	s.now = s.now.Add(24 * time.Hour)
	s.reopen()
	s.tick()
	if d := s.study.See(ada).Dialogue; d.End != collect.Abandoned {
		t.Errorf("a day later: %q", d.End)
	}
}

// A crash in the middle of a line loses that line only; a damaged line in the middle is an error.
func TestLedger(t *testing.T) {
	s := open(t, benchmark())
	ada, ben := s.meet("ada-secret-1", "ben-secret-2")
	s.turns(ada, ben, 2)
	if _, err := collect.Open(s.dir, s.c); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second server: %v", err)
	}
	path := filepath.Join(s.dir, "dialogues.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(whole), "secret") {
		t.Error("the ledger has a code")
	}
	if err := os.WriteFile(path, append(whole, `{"format":1,"message":{"te`...), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, err := collect.Load(s.dir); err != nil || len(list[0].Messages) != 4 {
		t.Errorf("load beside a server: %v", err)
	}
	s.reopen()
	if n := len(s.study.See(ada).Dialogue.Messages); n != 4 {
		t.Errorf("%d messages after a crash", n)
	}
	if err := s.study.Close(); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{"cannot be read": "{\n", "format 9": `{"format":9,"at":"2027-03-01T09:00:00Z"}` + "\n", "not the next": `{"format":1,"at":"2027-03-01T09:00:00Z","dialogue":1,"message":{"n":1,"text":"x","at":"2027-03-01T09:00:00Z"}}` + "\n"} {
		if err := os.WriteFile(path, append(whole, bad...), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := collect.Load(s.dir); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	s.study = nil
	s.reopen()
}
