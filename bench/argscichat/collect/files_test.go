package collect_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/bench"
	"airqa/bench/argscichat"
	"airqa/bench/argscichat/collect"
)

func TestReadPlanFaults(t *testing.T) {
	tests := []struct{ name, rows, want string }{
		{"column", "nme,code\n", `unknown column "nme"`},
		{"short code", "name,code\nAda,short\n", "the code of Ada is shorter"},
		{"same code", "name,code\nAda,secret-code\nBen,secret-code\n", "Ada and Ben have the same code"},
		{"same name", "name,code\nAda,secret-one\nAda,secret-two\n", "another line has the name Ada"},
		{"zone", "name,code,zone\nAda,secret-one,Mars\n", "column zone"},
		{"no partner", "name,code,proponent_sessions\nAda,secret-one,2027-03-01 09:00-09:20\n", "has no expert"},
		{"other interval", "name,code,proponent_sessions,expert_sessions,papers\nAda,secret-one,2027-03-01 09:00-09:20,,\nBen,secret-two,,2027-03-01 09:00-09:40,P\n", "has no expert"},
		{"form", "name,code,proponent_sessions\nAda,secret-one,tomorrow\n", "the form is"},
		{"papers", "name,code,expert_sessions,papers\nAda,secret-one,2027-03-01 09:00-09:20;2027-03-01 09:20-09:40;2027-03-01 09:40-10:00,P|Q\n", "3 expert sessions and 2 papers"},
		{"no hour", "name,code,zone,proponent_sessions\nAda,secret-one,Europe/Rome,2027-03-28 02:30-02:50\n", "does not exist"},
		{"parallel", "name,code,proponent_sessions\nAda,secret-one,2027-03-01 09:00-09:20\nBen,secret-two,2027-03-01 09:00-09:20\n", "mark parallel sessions"},
		{"oneself", "name,code,proponent_sessions,expert_sessions,papers\nAda,secret-one,2027-03-01 09:00-09:20,2027-03-01 09:00-09:20,P\n", "one person in both roles"},
		{"overlap", "name,code,proponent_sessions,expert_sessions,papers\nAda,secret-one,2027-03-01 09:00-09:20;2027-03-01 09:10-09:30,,\nBen,secret-two,,2027-03-01 09:00-09:20,P\nCleo,secret-three,,2027-03-01 09:10-09:30,P\n", "two sessions of Ada overlap"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := collect.ReadPlan(write(t, "p.csv", tt.rows))
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("error %v, want %q and no code", err, tt.want)
			}
		})
	}
}

func TestReadPapers(t *testing.T) {
	want := map[string]*collect.Paper{"A, B": {Title: "A, B", Content: []string{"One is here.", "Two e.g. this.", "Three."}, Abstract: 2}}
	for name, text := range map[string]string{
		"list.json":   `[{"title": "A,  B", "abstract": "One is here. Two\ne.g. this.", "introduction": "Three."}]`,
		"one.json":    `{"title": "A, B", "abstract": ["One is here.", "Two e.g. this."], "introduction": "Three."}`,
		"papers.csv":  "Authentication Code,Title,Abstract,Introduction\nx,\"A, B\",One is here. Two e.g. this.,Three.\n",
		"object.json": `{"A, B": {"abstract": "One is here. Two e.g. this.", "introduction": "Three."}}`,
		"fold.json":   `{"A, B": {"content": ["One is here.", "Two e.g. this.", "Three."], "abstract_sentences": 2}}`,
	} {
		got, err := collect.ReadPapers(write(t, name, text))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	got, err := collect.ReadPapers("../../../fixtures/argscichat")
	if err != nil || got[quiet] == nil || len(got[quiet].Content) != 6 {
		t.Errorf("the folds: %v", err)
	}
	for name, text := range map[string]string{"no.csv": "title,abstract\n", "bare.json": `[{"title": "A"}]`, "none.json": `[]`, "two.json": `[{"title":"A","abstract":"x"},{"title":"A","abstract":"y"}]`, "half.json": `[{"title`, "far.json": `[{"title": "A", "content": ["x"], "abstract_sentences": 2}]`} {
		if _, err := collect.ReadPapers(write(t, name, text)); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

// hold holds three dialogues about two papers: one to the end with labels, one by turns, one abandoned.
func hold(t *testing.T) *table {
	limits := benchmark()
	limits.MinTurns, limits.MaxTurns = 2, 3
	s := open(t, limits)
	ada, ben := s.meet("ada-secret-1", "ben-secret-2")
	s.turns(ada, ben, 2)
	s.send(ada, collect.Draft{Dialogue: 1, Message: collect.Message{N: 4, Text: "=Bye. Thank you", Final: true}})
	s.send(ben, collect.Draft{Dialogue: 1, Message: collect.Message{N: 5, Text: "<b>Bye</b> & thanks…"}, Bare: true})
	for n, tags := range [][]string{{"Ask_Info", "Ask_Info"}, {"Reply_Info", ""}, {"Ask_Info", "Ask_Rebuttal"}, {"Give_Opinion", "Reply_Info"}, {"Outro", "Outro"}, {"Outro"}} {
		if err := s.study.Label([]*collect.Participant{ada, ben}[n%2], 1, n, tags); err != nil {
			t.Fatal(err)
		}
	}
	s.now = begin.Add(21 * time.Minute)
	s.tick()
	s.turns(ben, ada, 3)
	cleo := s.study.Enter("cleo-secret")
	s.study.Arrive(cleo)
	s.now = begin.Add(24*time.Hour + time.Minute)
	s.tick()
	s.turns(cleo, ben, 1)
	s.now = s.now.Add(time.Hour)
	s.tick()
	return s
}

// The reader of the benchmark finds no fault in what is exported, and all of it.
func TestExport(t *testing.T) {
	s := hold(t)
	dialogues, err := collect.Load(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	x, err := collect.Export(dialogues, out)
	if diff := cmp.Diff(collect.Exported{Complete: 2, Incomplete: 1, Turns: 6, Papers: 2, Folds: 2, Labelled: 1}, x); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	c, err := argscichat.Load(out, bench.Choice{})
	if err != nil || len(c.Faults) > 0 || len(c.Items) != 6 || len(c.Documents) != 2 {
		t.Fatalf("%v, faults %v", err, c.Faults)
	}
	first := make(map[string]bench.Item)
	for _, item := range c.Items {
		first[item.UUID] = item
	}
	last := first[quiet+"_2"]
	if len(last.History) != 4 || last.Gold.Answers[0].Text != "<b>Bye</b> & thanks…" || last.Question != "=Bye. Thank you" {
		t.Errorf("the last turn is %+v", last)
	}
	if diff := cmp.Diff([]string{"s2", "s4"}, first[quiet+"_1"].Gold.Answers[0].Units); diff != "" {
		t.Errorf("rationales (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"fold0:test", "fold1:val"}, last.Tags); diff != "" {
		t.Errorf("folds (-want +got):\n%s", diff)
	}
	intents, faults, err := argscichat.LoadIntents(filepath.Join(out, "intents.csv"))
	if err != nil || len(faults) > 0 || len(intents) != 10 || intents[6].Tag != "Reply_Info" || !intents[6].Expert {
		t.Errorf("intents: %v, %v, %+v", err, faults, intents)
	}
	checkTables(t, out)
}

func checkTables(t *testing.T, out string) {
	t.Helper()
	read := func(name string) [][]string {
		f, err := os.Open(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	summary := read("summary.csv")
	want := [][]string{
		{"Ada", "1", "1", "completed", "0.00", "0.00", "Proponent", quiet, "3.00", "2", "1", "0", "0.00"},
		{"Ben", "2", "1", "completed", "0.00", "0.00", "Domain Expert", quiet, "3.00", "0", "3", "2", "2.00"},
	}
	if diff := cmp.Diff(want, summary[1:3]); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Cleo", "5", "3", "incomplete", "3600.00", "60.00", "Proponent", quiet, "1.00", "1", "0", "0", "0.00"}, summary[5]); diff != "" {
		t.Errorf("incomplete (-want +got):\n%s", diff)
	}
	messages := read("dialogues.csv")
	if diff := cmp.Diff([]string{"Ada", "1", "1", "Proponent", "'=Bye. Thank you", "4"}, messages[5]); diff != "" || len(messages) != 13 {
		t.Errorf("%d rows (-want +got):\n%s", len(messages), diff)
	}
}

// Without a complete dialogue there are no folds.
func TestExportNothing(t *testing.T) {
	s := open(t, benchmark())
	s.meet("ada-secret-1", "ben-secret-2")
	dialogues, err := collect.Load(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	x, err := collect.Export(dialogues, out)
	files, _ := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || x.Incomplete != 1 || x.Folds != 0 || len(files) != 2 {
		t.Errorf("%v, %+v, %v", err, x, files)
	}
}

func TestLabelRefusals(t *testing.T) {
	s := open(t, benchmark())
	ada, ben := s.meet("ada-secret-1", "ben-secret-2")
	s.turns(ada, ben, 1)
	if err := s.study.Label(ada, 1, 0, []string{"Ask_Info", ""}); err == nil {
		t.Error("labels during the dialogue")
	}
	s.now = s.now.Add(time.Hour)
	s.tick()
	for name, try := range map[string]error{
		"another's":   s.study.Label(ben, 1, 0, []string{"Ask_Info", ""}),
		"unknown tag": s.study.Label(ada, 1, 0, []string{"Ask", ""}),
		"sentences":   s.study.Label(ada, 1, 0, []string{"Ask_Info"}),
		"message":     s.study.Label(ada, 1, 8, []string{"Ask_Info"}),
	} {
		if try == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := s.study.Label(ada, 1, 0, []string{"Ask_Info", ""}); err != nil {
		t.Error(err)
	}
}

// Calendars follow RFC 5545: line ends, length of lines, times in UTC, escapes.
func TestCalendar(t *testing.T) {
	title := "Größe; or, how we " + strings.Repeat("ä", 60) + " tides"
	plan, err := collect.ReadPlan(write(t, "p.csv", "name,code,zone,proponent_sessions,expert_sessions,papers\n"+
		"Ada / Lou,ada-secret-1,Europe/Rome,2027-07-01 10:00-10:20,,\nBen,ben-secret-2,,,2027-07-01 08:00-08:20,\""+title+"\"\nCleo,cleo-secret,,,,\n"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	names, err := collect.Calendar(plan, dir, begin)
	if diff := cmp.Diff([]string{"01-Ada---Lou.ics", "02-Ben.ics"}, names); err != nil || diff != "" {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	raw, err := os.ReadFile(filepath.Join(dir, names[0]))
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\r\n"), "\r\n") {
		if len(line) > 75 || strings.ContainsAny(line, "\r\n") || strings.ToValidUTF8(line, "") != line {
			t.Errorf("line %q", line)
		}
	}
	for _, want := range []string{
		"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n", "\r\nDTSTAMP:20270301T090000Z\r\nDTSTART:20270701T080000Z\r\nDTEND:20270701T082000Z\r\n",
		"SUMMARY:Dialogue as Proponent: " + strings.NewReplacer(";", `\;`, ",", `\,`).Replace(title) + "\r\n", "TRIGGER:-PT10M\r\n", "END:VCALENDAR\r\n",
	} {
		if !strings.Contains(strings.ReplaceAll(text, "\r\n ", ""), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "secret") {
		t.Error("a calendar has a code")
	}
}

// Everyone finds the dialogues that ended, the last first, to choose intents.
func TestPast(t *testing.T) {
	s := hold(t)
	v := s.study.See(s.study.Enter("ben-secret-2"))
	if len(v.Past) != 3 || v.Past[0].Number != 3 || v.Dialogue != v.Past[0] || v.Role != collect.Expert {
		t.Fatalf("Ben sees %+v", v)
	}
	first := v.Past[2]
	if own := first.Of("Ben"); len(own) != 3 || own[2].N != 5 || first.Tag(5, 0) != "Outro" || first.Tag(1, 1) != "" || first.Tag(8, 0) != "" {
		t.Errorf("Ben's messages of dialogue 1: %+v", own)
	}
}
