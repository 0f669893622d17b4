package runlog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/runlog"
)

// Every reader takes a line of another form in the same way: the list of lines, the reading of an episode, the search and
// the marks. The line is the second event of an episode.
func TestLinesOfOtherForms(t *testing.T) {
	const begin = `{"type":"message","episode":"u#0","seq":2,"time":"2031-05-01T12:00:00Z"`
	call := func(reply string) string { return event(2, "call", `,"step":1,"kept":0,"reply":{`+reply+`}`) }
	huge := strings.Repeat("x", 3<<20)
	for _, tt := range []struct{ name, line, want string }{
		{
			"parts of a message",
			begin + `,"role":"user","parts":[{"text":"a needle"}]}`,
			`"a needle"; 2 events, 0 tokens, found in message 2; 2 marks`,
		},
		{
			"type twice, the first counts",
			begin + `,"type":"end","role":"user","parts":[{"text":"a needle"}]}`,
			`"a needle"; 2 events, 0 tokens, found in message 2; 2 marks`,
		},
		{
			"number twice, the first counts",
			begin + `,"seq":7,"role":"user","parts":[{"text":"a needle"}]}`,
			`"a needle"; 2 events, 0 tokens, found in message 2; 2 marks`,
		},
		{
			"number twice in another order, the last counts",
			`{"seq":7,"seq":2,"type":"message","episode":"u#0","time":"2031-05-01T12:00:00Z","parts":[{"text":"a needle"}]}`,
			`"a needle"; 2 events, 0 tokens, found in message 2; 2 marks`,
		},
		{
			"text twice, the last counts",
			begin + `,"parts":[{"text":"needle"}],"parts":[{"text":"thread"},{"text":"x","text":"needle"}]}`,
			`"threadneedle"; 2 events, 0 tokens, found in message 6; 2 marks`,
		},
		{
			"a key in another case",
			begin + `,"Parts":[{"TEXT":"needle"}]}`,
			`"needle"; 2 events, 0 tokens, found in message 0; 2 marks`,
		},
		{
			"invalid UTF-8",
			begin + `,"parts":[{"text":"` + "\xff" + ` needle"}]}`,
			`"� needle"; 2 events, 0 tokens, found in message 4; 2 marks`,
		},
		{
			"invalid UTF-8 in an unknown member",
			begin + `,"more":"` + "\xff" + `","parts":[{"text":"needle"}]}`,
			`"needle"; 2 events, 0 tokens, found in message 0; 2 marks`,
		},
		{
			"half a surrogate",
			begin + `,"parts":[{"text":"\ud83d needle"}]}`,
			`"� needle"; 2 events, 0 tokens, found in message 4; 2 marks`,
		},
		{
			"text in quotes of Go",
			begin + `,"parts":[{"text":{"quoted":"\"needle \\xff\""}}]}`,
			`"needle \xff"; 2 events, 0 tokens, found in message 0; 2 marks`,
		},
		{
			"a control character in a text",
			begin + `,"parts":[{"text":"` + "\x01" + ` needle"}]}`,
			`bad 2; 1 events, 0 tokens; 2 marks`,
		},
		{
			"a tab between members",
			begin + ",\t" + `"parts":[{"text":"needle"}]}`,
			`"needle"; 2 events, 0 tokens, found in message 0; 2 marks`,
		},
		{
			"null",
			begin + `,"role":null,"parts":[{"text":null},{"text":"needle"}]}`,
			`"needle"; 2 events, 0 tokens, found in message 0; 2 marks`,
		},
		{
			"an escape that JSON does not have",
			begin + `,"parts":[{"text":"\q needle"}]}`,
			`bad 2; 1 events, 0 tokens; 2 marks`,
		},
		{"cut off", begin + `,"parts":[{"text":"a needle`, `bad 2; 1 events, 0 tokens; 1 marks`},
		{"cut off before the end", begin + `,"parts":[{"text":"a needle"}]`, `bad 2; 1 events, 0 tokens; 1 marks`},
		{
			"overwritten by another",
			begin + `,"parts":[{"text":"a nee` + event(3, "end", ""),
			`bad 2; 1 events, 0 tokens; 2 marks`,
		},
		{
			"two events in a line",
			event(2, "message", `,"parts":[{"text":"needle"}]`) + event(3, "end", ""),
			`bad 2; 1 events, 0 tokens; 2 marks`,
		},
		{
			"huge",
			begin + `,"parts":[{"text":"` + huge + ` needle"}]}`,
			`"xxx needle"; 2 events, 0 tokens, found in message 3145729; 2 marks`,
		},
		{
			"a score beyond all numbers",
			event(2, "observation", `,"step":1,"by":"program","text":"needle","hits":[{"score":1e999}]`),
			`2 events, 0 tokens, log.jsonl:2: json: cannot unmarshal number 1e999 into Go struct field Hit.hits.score of type float64; 2 marks`,
		},
		{
			"a step beyond all integers",
			event(2, "observation", `,"step":99999999999999999999,"by":"program","text":"needle"`),
			`2 events, 0 tokens, log.jsonl:2: json: cannot unmarshal number 99999999999999999999 into Go struct field observationEvent.step of type int; 2 marks`,
		},
		{
			"a step that is a fraction",
			event(2, "observation", `,"step":1.5,"by":"program","text":"needle"`),
			`2 events, 0 tokens, log.jsonl:2: json: cannot unmarshal number 1.5 into Go struct field observationEvent.step of type int; 2 marks`,
		},
		{
			"an unknown number beyond all numbers",
			event(2, "observation", `,"more":1e999,"step":1,"by":"program","text":"needle"`),
			`2 events, 0 tokens, found in observation 0; 2 marks`,
		},
		{
			"an argument beyond all numbers",
			event(2, "call", `,"step":1,"reply":{"text":"needle","usage":{"prompt":100}},"action":{"name":"R","args":{"n":1e999}}`),
			`2 events, 0 tokens, log.jsonl:2: json: cannot unmarshal number 1e999 into Go struct field Action.action.args of type float64; 2 marks`,
		},
		{
			"usage beyond all integers",
			call(`"text":"needle","usage":{"prompt":1e30}`),
			`2 events, 0 tokens, log.jsonl:2: json: cannot unmarshal number 1e30 into Go struct field Usage.reply.usage.prompt of type int; 2 marks`,
		},
		{
			"text of another type after the usage",
			call(`"usage":{"prompt":100},"text":7`),
			`2 events, 0 tokens, log.jsonl:2: json: cannot unmarshal number into Go struct field reply.reply.text of type string; 2 marks`,
		},
		{
			"a reply that is a list",
			event(2, "call", `,"step":1,"reply":[]`),
			`2 events, 0 tokens, log.jsonl:2: json: cannot unmarshal array into Go struct field callEvent.reply of type runlog.reply; 2 marks`,
		},
		{
			"a time that is none",
			`{"type":"message","episode":"u#0","seq":2,"time":"noon","parts":[{"text":"needle"}]}`,
			`1 events, 0 tokens, log.jsonl:2: parsing time "noon" as "2006-01-02T15:04:05Z07:00": cannot parse "noon" as "2006"; 1 marks`,
		},
		{
			"a number with zeros in front",
			`{"type":"message","episode":"u#0","seq":02,"time":"2031-05-01T12:00:00Z","parts":[{"text":"needle"}]}`,
			`bad 2; 1 events, 0 tokens; 1 marks`,
		},
		{
			"a number in quotes",
			`{"type":"message","episode":"u#0","seq":"2","time":"2031-05-01T12:00:00Z"}`,
			`bad 2; 1 events, 0 tokens; 1 marks`,
		},
		{
			"an episode in escapes",
			`{"type":"message","episode":"\u0075#0","seq":2,"time":"2031-05-01T12:00:00Z","parts":[{"text":"needle"}]}`,
			`"needle"; 2 events, 0 tokens, found in message 0; 2 marks`,
		},
		{"an unknown type", event(2, "later", `,"text":"needle"`), `1 unknown; 1 events, 0 tokens; 2 marks`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, readAll(t, withLog(t, event(1, "start", startRest), tt.line))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// readAll describes what all readers make of a log, with long texts shortened.
func readAll(t *testing.T, dir string) string {
	t.Helper()
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, bad := range r.BadLines {
		fmt.Fprintf(&b, "bad %d; ", bad.Line)
	}
	if r.Unknown > 0 {
		fmt.Fprintf(&b, "%d unknown; ", r.Unknown)
	}
	for rec, err := range r.Episodes() {
		for _, m := range rec.Messages {
			fmt.Fprintf(&b, "%q; ", strings.ReplaceAll(m.Text, strings.Repeat("x", 3<<20), "xxx"))
		}
		fmt.Fprintf(&b, "%d events, %d tokens", rec.Events, rec.Usage().Prompt)
		if err != nil {
			fmt.Fprintf(&b, ", %v", err)
		}
		for _, hit := range grepAll(t, r, "needle") {
			switch {
			case hit.Field != "error":
				fmt.Fprintf(&b, ", found in %s %d", hit.Field, hit.Offset)
			case err == nil || hit.Match != err.Error():
				fmt.Fprintf(&b, ", search: %v", hit.Match)
			}
		}
	}
	marks := 0
	for m, err := range runlog.Skim(dir, 0) {
		if err != nil {
			t.Error(err)
		}
		if m.Type != "" {
			marks++
		}
	}
	fmt.Fprintf(&b, "; %d marks", marks)
	return b.String()
}
