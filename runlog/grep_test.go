package runlog_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/runlog"
)

// grepAll returns all hits; errors become hits of the field "error".
func grepAll(t rapid.TB, r *runlog.Run, text string) []runlog.Hit {
	t.Helper()
	var hits []runlog.Hit
	for h, err := range r.Grep(context.Background(), text) {
		if err != nil {
			h = runlog.Hit{Field: "error", Snippet: runlog.Snippet{Match: err.Error()}}
		}
		hits = append(hits, h)
	}
	return hits
}

// Every hit of every field is found, and nothing else, in logs of this program and in logs of others with the same
// content.
func TestGrepEqualsScan(t *testing.T) {
	base := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(base, fmt.Sprint(n))
		writeRandom(t, dir)
		if rapid.Bool().Draw(t, "foreign") {
			rewrite(t, filepath.Join(dir, runlog.LogFile))
		}
		r, err := runlog.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			text := query(t, dir)
			if diff := gocmp.Diff(scanAll(t, r, text), grepAll(t, r, text)); diff != "" {
				t.Fatalf("search for %q (-scan +search):\n%s", text, diff)
			}
		}
		_ = os.RemoveAll(dir)
	})
}

// pieces are texts of several scripts, characters that JSON escapes, and letters whose cases have other lengths.
var pieces = []string{
	"a", "b", "A", "k", "K", "\u212a", "s", "S", "ſ", "ß", "ẞ", "i", "I", "İ", "ı", "é", "É", "e\u0301", "σ", "ς", "Σ", "я", "Я", "日", "本",
	"العربية", "ค", "😀", "👩\u200d🔬", "Ⱥ", "ⱥ", "ǆ", "ǅ", "\"", "\\", "/", "\n", "\t", "\r", "\b", "\f", "\x00", "\x1f", "\x7f", "\u2028",
	"\ufffd", "\xff", "\xc3", "<", "&", "u", "n", "00e9", " ", "{", "}", "]", ",", "'", `"quoted":`, "observation", "text", "\\u0041", "384",
}

func randomText(t *rapid.T, label string, most int) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, most).Draw(t, label), "")
}

// query draws a text with visible characters to search for.
func query(t *rapid.T, dir string) string {
	if text := anyQuery(t, dir); !runlog.CompilePattern(text).Empty() {
		return text
	}
	return "a"
}

// anyQuery draws a text, often one that is in the log.
func anyQuery(t *rapid.T, dir string) string {
	if rapid.Bool().Draw(t, "any") {
		return randomText(t, "query", 3)
	}
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for rec := range r.Episodes() {
		for _, m := range rec.Messages {
			texts = append(texts, m.Text)
		}
	}
	all := []rune(strings.Join(texts, ""))
	if len(all) == 0 {
		return "a"
	}
	start := rapid.IntRange(0, len(all)-1).Draw(t, "start")
	text := string(all[start:min(len(all), start+rapid.IntRange(1, 12).Draw(t, "length"))])
	if rapid.Bool().Draw(t, "lower") {
		text = strings.ToLower(text)
	}
	return text
}

// writeRandom writes a run of a few episodes whose events interleave.
func writeRandom(t *rapid.T, dir string) {
	if err := runlog.Create(dir, config("rag"), []byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	episodes := make([]randomEpisode, rapid.IntRange(1, 3).Draw(t, "episodes"))
	for range rapid.IntRange(1, 14).Draw(t, "events") {
		i := rapid.IntRange(0, len(episodes)-1).Draw(t, "episode")
		if err := episodes[i].event(t, w, fmt.Sprintf("u%d", i)); err != nil {
			t.Fatal(err)
		}
	}
}

type randomEpisode struct {
	*runlog.Episode
	seen []string
}

func (e *randomEpisode) event(t *rapid.T, w *runlog.Writer, uuid string) (err error) {
	kind := rapid.IntRange(0, 9).Draw(t, "kind")
	if e.Episode == nil || kind == 0 {
		e.seen = nil
		e.Episode, err = w.Begin(uuid, 0, nil)
		return err
	}
	switch kind {
	case 1:
		return e.Message(qa.Message{Role: qa.System, Text: strings.Repeat("=", 200) + randomText(t, "system", 6)})
	case 2:
		text := randomText(t, "before", 3)
		if len(e.seen) > 0 {
			text += rapid.SampledFrom(e.seen).Draw(t, "repeated") + randomText(t, "after", 3)
		}
		return e.Message(qa.Message{Role: qa.User, Text: text})
	case 3:
		return e.Lost([]qa.Attempt{{Started: clock, Error: qa.FailureClass(valid(randomText(t, "lost", 4)))}})
	case 4:
		return e.End(qa.Trajectory{
			Outcome: qa.EndpointError, Reason: valid(randomText(t, "reason", 4)),
			Answer: qa.Answer{Given: true, Text: valid(randomText(t, "answer", 4)), LaTeX: valid(randomText(t, "latex", 2))},
		})
	}
	return e.step(t, kind < 6)
}

// valid is a text that an event stores as plain JSON.
func valid(s string) string { return strings.ToValidUTF8(s, "?") }

func (e *randomEpisode) step(t *rapid.T, program bool) error {
	s := qa.Step{N: len(e.seen) + 1, By: qa.ByProgram, Started: clock, Acted: clock, Ended: clock}
	action := &qa.Action{Name: "Query", Text: valid(randomText(t, "action", 4)), LaTeX: valid(randomText(t, "action latex", 2))}
	s.Action = action
	if !program {
		s.By = qa.ByModel
		s.Reply = &qa.Reply{
			Text: randomText(t, "reply", 8), Reasoning: randomText(t, "reasoning", 4),
			Attempts:  []qa.Attempt{{Started: clock, Error: qa.FailureClass(valid(randomText(t, "error", 3)))}},
			ToolCalls: randomCalls(t),
		}
		s.Kept = len(s.Reply.Text)
		if rapid.Bool().Draw(t, "unreadable") {
			s.Action, s.ParseError = nil, &qa.ParseError{Reason: valid(randomText(t, "parse error", 3))}
		}
		if err := e.Call(s); err != nil {
			return err
		}
	}
	s.Observation = &qa.Observation{Text: "no rows: " + randomText(t, "observation", 8)}
	if rapid.Bool().Draw(t, "long") {
		s.Observation.Text = randomText(t, "head", 3) + strings.Repeat("-", 200) + s.Observation.Text
	}
	if rapid.Bool().Draw(t, "cut") {
		s.Observation.Full = s.Observation.Text + randomText(t, "rest", 8)
	}
	e.seen = append(e.seen, s.Observation.Text)
	return e.Observation(s)
}

func randomCalls(t *rapid.T) []qa.ToolCall {
	if rapid.Bool().Draw(t, "no calls") {
		return nil
	}
	raw, err := json.Marshal(map[string]any{"q": valid(randomText(t, "argument", 4)), "n": 5, "list": []string{valid(randomText(t, "item", 2)), "b"}})
	if err != nil {
		t.Fatal(err)
	}
	return []qa.ToolCall{{Name: "Query", Arguments: raw}, {Name: "Text", Arguments: []byte(`"not an object"`)}}
}

// rewrite writes each line as another program might, with the same content.
func rewrite(t *rapid.T, path string) {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for line := range bytes.Lines(raw) {
		switch rapid.IntRange(0, 3).Draw(t, "form") {
		case 0:
			out.Write(line)
		case 1:
			out.Write(escapeSome(t, line))
		case 2:
			var b bytes.Buffer
			if err := json.Indent(&b, line, "", " "); err != nil {
				t.Fatal(err)
			}
			out.Write(append(bytes.ReplaceAll(bytes.TrimSpace(b.Bytes()), []byte("\n"), nil), '\n'))
		case 3:
			out.Write(line[:1])
			out.WriteString(`"n":0,`)
			out.Write(line[1:])
		}
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// escapeSome replaces some characters of the strings in a line by other escape sequences.
func escapeSome(t *rapid.T, line []byte) []byte {
	every := rapid.IntRange(1, 5).Draw(t, "every")
	moment, err := json.Marshal(clock)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	inside := false
	for i, n := 0, 0; i < len(line); n++ {
		r, size := utf8.DecodeRune(line[i:])
		switch {
		case bytes.HasPrefix(line[i:], moment):
			size = len(moment) // times are not unescaped
		case r == '"':
			inside = !inside
		case r == '\\':
			size = 2
			if line[i+1] == 'u' {
				size = 6
			}
			if short := strings.IndexByte(`"\/bfnrt`, line[i+1]); short >= 0 && n%every == 0 {
				out = fmt.Appendf(out, `\u%04X`, "\"\\/\b\f\n\r\t"[short])
				i += 2
				continue
			}
		case inside && r == '/' && n%every == 0:
			out = append(out, '\\')
		case inside && n%every == 0:
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
			i += size
			continue
		}
		out = append(out, line[i:i+size]...)
		i += size
	}
	return out
}

// scanAll is the search without any shortcut: it reads every episode and compares at every character.
func scanAll(t *rapid.T, r *runlog.Run, text string) []runlog.Hit {
	type numbered struct {
		at   int
		hits []runlog.Hit
	}
	raw, err := os.ReadFile(filepath.Join(r.Dir, runlog.LogFile))
	if err != nil {
		t.Fatal(err)
	}
	var all []numbered
	for rec, err := range r.Episodes() {
		if err != nil {
			t.Fatal(err)
		}
		events, err := r.Events(rec.Episode)
		if err != nil {
			t.Fatal(err)
		}
		s := scanner{rec: rec, text: text}
		for _, ev := range events {
			s.hits = nil
			s.event(t, ev)
			all = append(all, numbered{bytes.LastIndex(raw, ev.Line), s.hits})
		}
	}
	slices.SortFunc(all, func(a, b numbered) int { return cmp.Compare(a.at, b.at) })
	var hits []runlog.Hit
	for _, n := range all {
		hits = append(hits, n.hits...)
	}
	return hits
}

type scanner struct {
	rec   runlog.Recorded
	text  string
	next  int // index of the next message
	steps int
	at    runlog.Hit
	hits  []runlog.Hit
}

func (s *scanner) event(t *rapid.T, ev runlog.Event) {
	var rest struct {
		By       string       `json:"by"`
		Reason   string       `json:"reason"`
		Answer   qa.Answer    `json:"answer"`
		Attempts []qa.Attempt `json:"attempts"`
		Failed   []qa.Attempt `json:"failed_attempts"`
	}
	if err := json.Unmarshal(ev.Line, &rest); err != nil {
		t.Fatal(err)
	}
	s.at = runlog.Hit{Episode: s.rec.Episode, Event: ev.Seq, Step: ev.Step, Message: -1}
	switch ev.Type {
	case runlog.TypeMessage:
		s.message(t, ev.Line)
	case runlog.TypeCall:
		s.numbered()
		s.steps++
		s.call(t, s.rec.Steps[s.steps-1])
	case runlog.TypeObservation:
		if rest.By == qa.ByProgram {
			s.steps++
			s.action(s.rec.Steps[s.steps-1].Action)
		} else {
			s.numbered()
		}
		o := s.rec.Steps[s.steps-1].Observation
		s.in("observation", o.Text)
		s.in("full", o.Full)
	case runlog.TypeLost, runlog.TypeEnd:
		for _, a := range append(rest.Attempts, rest.Failed...) {
			s.in("attempt", string(a.Error))
		}
		s.in("reason", rest.Reason)
		s.in("answer", rest.Answer.Text)
		s.in("answer_latex", rest.Answer.LaTeX)
	}
}

func (s *scanner) numbered() {
	s.at.Message = s.next
	s.next++
}

// message leaves out the hits within an observation that the message repeats.
func (s *scanner) message(t *rapid.T, line []byte) {
	s.numbered()
	text := s.rec.Messages[s.at.Message].Text
	var ev struct {
		Parts []struct {
			Text        *ledger.Text
			Observation int
		}
	}
	if err := json.Unmarshal(line, &ev); err != nil {
		t.Fatal(err)
	}
	from, to := 0, 0
	for _, p := range ev.Parts {
		if p.Observation > 0 {
			to = from + len(s.rec.Steps[p.Observation-1].Observation.Text)
			break
		}
		if p.Text != nil {
			from += len(*p.Text)
		}
	}
	hits := slices.DeleteFunc(s.scan(text), func(h runlog.Hit) bool { return h.Offset >= from && h.End <= to })
	s.add("message", hits)
}

func (s *scanner) call(t *rapid.T, step qa.Step) {
	s.in("reply", step.Reply.Text)
	s.in("reasoning", step.Reply.Reasoning)
	for _, c := range step.Reply.ToolCalls {
		var args struct {
			List []string
			Q    string
		}
		if bytes.HasPrefix(c.Arguments, []byte("{")) {
			if err := json.Unmarshal(c.Arguments, &args); err != nil {
				t.Fatal(err)
			}
		} else if err := json.Unmarshal(c.Arguments, &args.Q); err != nil {
			t.Fatal(err)
		}
		for _, text := range append(args.List, args.Q) {
			s.in("arguments", text)
		}
	}
	s.action(step.Action)
	if step.ParseError != nil {
		s.in("parse_error", step.ParseError.Reason)
	}
	for _, a := range step.Reply.Attempts {
		s.in("attempt", string(a.Error))
	}
}

func (s *scanner) action(a *qa.Action) {
	if a != nil {
		s.in("action", a.Text)
		s.in("action_latex", a.LaTeX)
	}
}

func (s *scanner) in(field, text string) { s.add(field, s.scan(text)) }

func (s *scanner) add(field string, hits []runlog.Hit) {
	for i := range hits {
		hits[i].Field = field
	}
	if len(hits) > 100 {
		hits = hits[:100]
	}
	s.hits = append(s.hits, hits...)
}

func (s *scanner) scan(text string) (hits []runlog.Hit) {
	for first, end := range runlog.CompilePattern(s.text).All(text) {
		h := s.at
		h.Offset, h.End, h.Match = first, end, text[first:end]
		h.Before, h.After = lastOnLine(text[:first]), firstOnLine(text[end:])
		hits = append(hits, h)
	}
	return hits
}

func firstOnLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	var n int
	for i := 0; i < 60 && n < len(line); i++ {
		_, size := utf8.DecodeRuneInString(line[n:])
		n += size
	}
	return line[:n]
}

func lastOnLine(text string) string {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	n := len(line)
	for i := 0; i < 60 && n > 0; i++ {
		_, size := utf8.DecodeLastRuneInString(line[:n])
		n -= size
	}
	return line[n:]
}

// The 100 first hits of a field are listed, the others are counted.
func TestGrepCountsFurtherHits(t *testing.T) {
	dir := create(t)
	e, err := writer(t, dir, nil).Begin("u", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{100, 103} {
		if err := e.Message(qa.Message{Role: qa.User, Text: strings.Repeat("needle\n", n)}); err != nil {
			t.Fatal(err)
		}
	}
	r, _ := read(t, dir)
	hits := grepAll(t, r, "needle")
	if n := len(hits); n != 200 {
		t.Errorf("%d hits in texts with 100 and 103", n)
	}
}

// Texts that cannot be read and lines that cannot be decoded are reported, and the search continues.
func TestGrepErrors(t *testing.T) {
	dir := create(t)
	sum := strings.Repeat("ab", 32)
	log := `{"type":"start","episode":"u#0","seq":1,"time":"2031-05-01T12:00:00Z","uuid":"u","repeat":0}
{"type":"message","episode":"u#0","seq":2,"time":"2031-05-01T12:00:00Z","role":"system","parts":[{"ref":"` + sum + `"}]}
{"type":"message","episode":"u#0","seq":3,"time":"2031-05-01T12:00:00Z","role":"system","parts":[{"ref":"` + sum + `"}]}
{"type":"message","episode":"u#0","seq":4,"time":"2031-05-01T12:00:00Z","role":"user","parts":"needle"}
{"type":"message","episode":"u#0","seq":5,"time":"2031-05-01T12:00:00Z","role":"user","parts":[{"observation":7}]}
no event with a needle
{"type":"later","episode":"u#0","seq":6,"time":"2031-05-01T12:00:00Z","role":"user","text":"a needle of another version"}
{"type":"message","episode":"u#0","seq":6,"time":"2031-05-01T12:00:00Z","role":"user","parts":[{"text":"a needle"}]}
`
	if err := os.WriteFile(filepath.Join(dir, runlog.LogFile), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []runlog.Hit{
		{Field: "error", Snippet: runlog.Snippet{Match: "texts/" + sum + ".txt: is missing from the run directory"}},
		{Field: "error", Snippet: runlog.Snippet{Match: "log.jsonl:4: json: cannot unmarshal string into Go struct field messageEvent.parts of type []runlog.part"}},
		{Field: "error", Snippet: runlog.Snippet{Match: "log.jsonl:5: message refers to the observation of step 7, which is not there"}},
		{Episode: "u#0", Message: 4, Event: 6, Field: "message", Offset: 2, End: 8, Snippet: runlog.Snippet{Before: "a ", Match: "needle"}},
	}
	if diff := gocmp.Diff(want, grepAll(t, r, "needle")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A search ends with the error of its context, at once when the caller stops, and is refused for an empty text.
func TestGrepStops(t *testing.T) {
	dir := create(t)
	if err := os.WriteFile(filepath.Join(dir, runlog.LogFile), []byte(manyLines(0, 300)), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range r.Grep(t.Context(), "words") {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	hits := 0
	for _, err := range r.Grep(ctx, "words") {
		if last = err; err == nil {
			hits++
		}
		cancel()
	}
	if !errors.Is(last, context.Canceled) || hits >= 300*100 {
		t.Errorf("%d hits after the search was cancelled, the error is %v", hits, last)
	}
	for _, err := range r.Grep(t.Context(), "") {
		if !errors.Is(err, runlog.ErrNoText) {
			t.Errorf("an empty text: %v", err)
		}
	}
}

// The text may begin in one part of a message and end in another. A part that repeats an observation has no hits of its
// own, and attempts that were started over have none.
func TestGrepParts(t *testing.T) {
	dir := create(t)
	stored := "a stored text"
	if err := os.MkdirAll(filepath.Join(dir, "texts"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "texts", runlog.Hash(stored)+".txt"), []byte(stored), 0o600); err != nil {
		t.Fatal(err)
	}
	line := func(kind string, seq int, rest string) string {
		return fmt.Sprintf(`{"type":%q,"episode":"u#0","seq":%d,"time":"2031-05-01T12:00:00Z",%s}`+"\n", kind, seq, rest)
	}
	log := line("start", 1, `"uuid":"u","repeat":0`) +
		line("message", 2, `"role":"user","parts":[{"text":"text started over"}]`) +
		line("start", 1, `"uuid":"u","repeat":0`) +
		line("observation", 2, `"step":1,"by":"program","status":"ok","text":"text of a tool","hash":""`) +
		line("message", 3, `"role":"user","parts":[{"text":"The te"},{"text":"xt: "},{"observation":1},{"text":" and te"},{"ref":"`+runlog.Hash(stored)+`"}]`) +
		line("message", 4, `"role":"user","parts":[{"text":"a tool"},{"observation":1}]`)
	if err := os.WriteFile(filepath.Join(dir, runlog.LogFile), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		want []string // message, event, field and offset
	}{
		{"text", []string{"-1 2 observation 0", "0 3 message 4", "0 3 message 40"}},
		{"text: text", []string{"0 3 message 4"}},
		{"tea", []string{"0 3 message 29"}},
		{"a tooltext", []string{"1 4 message 0"}},
		{"started", nil},
	} {
		var got []string
		for _, h := range grepAll(t, r, c.text) {
			got = append(got, fmt.Sprint(h.Message, " ", h.Event, " ", h.Field, " ", h.Offset))
		}
		if diff := gocmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
}

// A search is the same with the index of a log.
func TestGrepWithIndex(t *testing.T) {
	dir := create(t)
	if err := os.WriteFile(filepath.Join(dir, runlog.LogFile), []byte(manyLines(0, 150)+manyLines(20, 40)), 0o600); err != nil {
		t.Fatal(err)
	}
	var hits [2][]runlog.Hit
	for i := range hits {
		r, err := runlog.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		hits[i] = grepAll(t, r, "more")
	}
	if _, err := os.Stat(filepath.Join(dir, "log.idx")); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(hits[0], hits[1]); diff != "" || len(hits[0]) != 150*100 {
		t.Errorf("%d hits (-without +with):\n%s", len(hits[0]), diff)
	}
}
