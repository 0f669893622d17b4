package train_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/runlog"
	"airqa/train"
)

// known removes a secret and a home directory.
var known = runlog.Redactor([]string{"open sesame"}, "/srv/ann")

// redacted returns a text of a model after redaction, in an episode without papers.
func redacted(r train.Redactor, text string) (string, train.Redactions) {
	s := r.Episode(nil)
	return s.Message(qa.Message{Role: qa.Assistant, Text: text}).Text, counted(s)
}

// counted counts the texts that a scope found.
func counted(s *train.EpisodeRedactor) train.Redactions {
	counts := make(train.Redactions)
	counts.Add(s.Found, make(map[*train.RedactedText]bool))
	return counts
}

// TestScope redacts the messages of an episode.
func TestScope(t *testing.T) {
	messages := []qa.Message{
		{Role: qa.System, Text: "Data: /srv/ann/data"},
		{Role: qa.User, Text: "Who is bob@paper.edu?"},
		{Role: qa.Assistant, Text: "bob@paper.edu, not eve@lab.org", ToolCalls: []qa.ToolCall{{Name: "Query", Arguments: json.RawMessage(`{"sql":"/srv/ann/x"}`)}}},
		{Role: qa.ToolResult, Text: "eve@paper.edu wrote /srv/ann/code"},
		{Role: qa.Assistant, Text: "plain"},
	}
	want := []qa.Message{
		{Role: qa.System, Text: "Data: ~/data"},
		messages[1],
		{Role: qa.Assistant, Text: "bob@paper.edu, not [email]", ToolCalls: []qa.ToolCall{{Name: "Query", Arguments: json.RawMessage(`{"sql":"~/x"}`)}}},
		messages[3], messages[4],
	}
	s := train.Redactor{Known: known, Emails: true}.Episode(messages)
	for range 2 {
		var got []qa.Message
		for _, m := range messages {
			got = append(got, s.Message(m))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	if diff := cmp.Diff(train.Redactions{train.HomePath: 2, train.Email: 1}, counted(s)); diff != "" {
		t.Errorf("counts (-want +got)\n%s", diff)
	}
}

func TestText(t *testing.T) {
	// Keys are put together here, so that no scanner takes this file for a leak.
	const letters, digits = "aBcDeFgHiJkLmNoPqRsTuVwXyZ", "0123456789"
	for _, c := range []struct{ text, want string }{
		{"say open sesame in /srv/ann/x", "say [redacted] in ~/x"},
		{"ls /home/bob/data on db.prod.internal", "ls /home/bob/data on db.prod.internal"},
		{"write to ann.b+c@lab.example.edu.", "write to [email]."},
		{`"to\nann@lab.edu"`, `"to\n[email]"`},
		{"Recall@10, pass@k, @user, a@b", "Recall@10, pass@k, @user, a@b"},
		{"The key is sk-" + "proj-_" + letters + ".", "The key is [redacted]."},
		{"curl -H 'X-Key: hf_" + letters + "'", "curl -H 'X-Key: [redacted]'"},
		{"HF_TOKEN=hf_" + letters + ", (AIza" + letters + ")", "HF_TOKEN=[redacted], ([redacted])"},
		{`{"a":"\n` + "ghp_" + letters + `\t","b":"AKIA` + digits + `ABCDEF"}`, `{"a":"\n[redacted]\t","b":"[redacted]"}`},
		{"gpt-4o-mini-2024-07-18, claude-3-5-sonnet-20241022, Meta-Llama-3.1-405B-Instruct-FP8", "gpt-4o-mini-2024-07-18, claude-3-5-sonnet-20241022, Meta-Llama-3.1-405B-Instruct-FP8"},
		{"sk-learn, hf_model_name_of_a_long_kind, npm_, AKIA", "sk-learn, hf_model_name_of_a_long_kind, npm_, AKIA"},
		{"sk-learn-v2-compatible-estimators, risk-" + digits + letters, "sk-learn-v2-compatible-estimators, risk-" + digits + letters},
	} {
		if got, _ := redacted(train.Redactor{Known: known, Emails: true}, c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
	if got, _ := redacted(train.Redactor{}, "ann@lab.edu"); got != "ann@lab.edu" {
		t.Errorf("an address that was to stay is %q", got)
	}
}

// Addresses and keys that a paper has stay, the addresses also in another form.
func TestTextOfPapers(t *testing.T) {
	const key = "AKIA" + "IOSFODNN7EXAMPLE"
	s := train.Redactor{Emails: true}.Episode([]qa.Message{{Role: qa.User, Text: "Observation:\n{ann,bob}@lab.edu, " + key}})
	text := "ann@lab.edu and bob@lab.edu with " + key
	if got := s.Message(qa.Message{Role: qa.Assistant, Text: text}).Text; got != text {
		t.Errorf("got %q", got)
	}
	if got := s.Message(qa.Message{Role: qa.Assistant, Text: "eve@lab.edu"}).Text; got != "[email]" {
		t.Errorf("got %q", got)
	}
}

// FuzzText redacts any text: JSON stays JSON, and what is unchanged is not counted.
func FuzzText(f *testing.F) {
	f.Add("hf_aBcDeFgHiJkLmNoPqRsTuVw ann@lab.edu C:\\Users\\Ann")
	f.Add("\u0001\u00e9AKIAABCDEFGHIJKLMNOP \n\tx@y.zz")
	r := train.Redactor{Known: known, Emails: true}
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := json.Marshal(text)
		if err != nil {
			return
		}
		if got, _ := redacted(r, string(raw)); !json.Valid([]byte(got)) {
			t.Errorf("%s became %s", raw, got)
		}
		if got, counts := redacted(r, text); got == text && len(counts) > 0 {
			t.Errorf("%q is unchanged with %v", text, counts)
		}
	})
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat("[Thought]: Table 2 of the paper has the scores, so I look at the rows of BERT-large-uncased and "+
		"RoBERTa on SQuAD 2.0 next; the best F1 is 93.2.\n[Action]: Query(sql=\"SELECT table_content FROM tables WHERE "+
		"table_caption LIKE '%SQuAD%' AND pdf_id = '00608f20-e3f5-5fdc-8979-4efeb0756d8e'\")\n", 4)
	r := train.Redactor{Emails: true}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		redacted(r, text)
	}
}
