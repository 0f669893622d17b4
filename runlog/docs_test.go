package runlog_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"airqa/runlog"
)

const formatDoc = "../docs/formats/run.md"

// Every example line of docs/formats/run.md is an event that the program reads, and together they make an episode.
func TestDocumentedEvents(t *testing.T) {
	raw, err := os.ReadFile(formatDoc)
	if err != nil {
		t.Fatal(err)
	}
	var events, scores []string
	for _, block := range strings.Split(string(raw), "```json\n")[1:] {
		body, _, _ := strings.Cut(block, "```")
		for line := range strings.Lines(body) {
			if strings.HasPrefix(line, `{"type":`) {
				events = append(events, line)
			} else {
				scores = append(scores, line)
			}
		}
	}
	dir := create(t)
	var log strings.Builder
	for seq := range len(events) {
		for _, line := range events {
			if strings.Contains(line, `"seq":`+strconv.Itoa(seq+1)+",") {
				log.WriteString(line)
			}
		}
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(runlog.LogFile, log.String())
	write("texts/"+runlog.Hash("system")+".txt", "system")
	write("scores/reference.offline.jsonl", strings.Join(scores, ""))
	r, got := read(t, dir)
	if len(r.BadLines) != 0 || r.Unknown != 0 || len(got) != 1 || got[0].Events != 10 || len(got[0].Steps) != 3 {
		t.Errorf("bad %v, unknown %d, episodes %+v", r.BadLines, r.Unknown, got)
	}
	if _, list, err := runlog.ReadScores(dir); err != nil || len(list) != 5 {
		t.Errorf("%d scores, %v", len(list), err)
	}
	for _, kind := range []string{runlog.TypeStart, runlog.TypeMessage, runlog.TypeCall, runlog.TypeObservation, runlog.TypeLost, runlog.TypeEnd} {
		if !strings.Contains(string(raw), "\n### "+kind+"\n") {
			t.Errorf("event %s is not documented", kind)
		}
	}
}
