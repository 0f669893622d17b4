package redact_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/runlog"
	"airqa/train/redact"
)

// TestScope redacts the messages of an episode.
func TestScope(t *testing.T) {
	messages := []qa.Message{
		{Role: qa.System, Text: "Data: /home/ann/data"},
		{Role: qa.User, Text: "Who is bob@paper.edu?"},
		{Role: qa.Assistant, Text: "bob@paper.edu, not eve@lab.org", ToolCalls: []qa.ToolCall{{Name: "Query", Arguments: json.RawMessage(`{"sql":"/home/ann/x"}`)}}},
		{Role: qa.ToolResult, Text: "eve@paper.edu wrote /home/user/code"},
		{Role: qa.Assistant, Text: "plain"},
	}
	want := []qa.Message{
		{Role: qa.System, Text: "Data: ~/data"},
		messages[1],
		{Role: qa.Assistant, Text: "bob@paper.edu, not [email]", ToolCalls: []qa.ToolCall{{Name: "Query", Arguments: json.RawMessage(`{"sql":"~/x"}`)}}},
		messages[3], messages[4],
	}
	s := redact.New(nil).Scope(messages)
	for range 2 {
		var got []qa.Message
		for _, m := range messages {
			got = append(got, s.Message(m))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	if diff := cmp.Diff(redact.Counts{redact.HomePath: 2, redact.Email: 1}, s.Counts); diff != "" {
		t.Errorf("counts (-want +got)\n%s", diff)
	}
}

func TestText(t *testing.T) {
	known := runlog.Redactor([]string{"open sesame"}, "/srv/ann")
	for _, c := range []struct{ text, want string }{
		{"say open sesame in /srv/ann/x", "say [redacted] in ~/x"},
		{"ls /home/ann/data and /Users/Bob.B", "ls ~/data and ~"},
		{"/export/home/ann, /mnt/home/ann/x, see /homepage and a/home/page", "~, ~/x, see /homepage and a/home/page"},
		{`C:\Users\Ann\paper.pdf or c:/Users/Ann`, `~\paper.pdf or ~`},
		{"cd /root; the /rooted tree at example.org/root", "cd ~; the /rooted tree at example.org/root"},
		{"write to ann.b+c@lab.example.edu.", "write to [email]."},
		{`"to\nann@lab.edu"`, `"to\n[email]"`},
		{"Recall@10, pass@k, @user, a@b", "Recall@10, pass@k, @user, a@b"},
		{"http://gpu7:8000/v1 and https://llm.acme.com/v1?x=1", "http://[host]/v1 and https://[host]/v1?x=1"},
		{"https://arxiv.org/abs/1, http://www.lab.edu/x, http://localhost:8080, http://127.0.0.1:1", "https://arxiv.org/abs/1, http://www.lab.edu/x, http://localhost:8080, http://127.0.0.1:1"},
		{"http://10.0.0.3/x, 10.1.2.3. 192.168.0.7:19530, 8.8.8.8:53, http://[fd00::1]:80/", "http://[host]/x, [host]. [host], [host], http://[host]/"},
		{"Section 3.2.1.4, version 1.2.3.4, 0.0.0.0, 127.0.0.1:80", "Section 3.2.1.4, version 1.2.3.4, 0.0.0.0, 127.0.0.1:80"},
		{"ssh gpu-node-17.cluster.example.edu, db.prod.internal, nas-2.local, vault.acme.com:8200", "ssh [host], [host], [host], [host]"},
		{"ec2-1-2-3-4.compute-1.amazonaws.com", "[host]"},
		{"m.id, np.mean, threading.local, README.md, torch.nn.functional, www.lab.edu, lab.example.com, e.g. this", "m.id, np.mean, threading.local, README.md, torch.nn.functional, www.lab.edu, lab.example.com, e.g. this"},
		{"token: [CLS], key = value, tokens=4096, password: string, secret sauce, API_KEY=$KEY", "token: [CLS], key = value, tokens=4096, password: string, secret sauce, API_KEY=$KEY"},
		{"primary key: 00608f20-e3f5-5fdc-8979-4efeb0756d8e", "primary key: 00608f20-e3f5-5fdc-8979-4efeb0756d8e"},
		{"api_key: 00608f20-e3f5-5fdc-8979-4efeb0756d8e", "api_key: [redacted]"},
		{"DB_PASSWORD=hunter2! x", "DB_PASSWORD=[redacted] x"},
		{"gpt-4o-mini-2024-07-18, claude-3-5-sonnet-20241022, Meta-Llama-3.1-405B-Instruct-FP8, Qwen2.5-VL-72B-Instruct-AWQ-Int4", "gpt-4o-mini-2024-07-18, claude-3-5-sonnet-20241022, Meta-Llama-3.1-405B-Instruct-FP8, Qwen2.5-VL-72B-Instruct-AWQ-Int4"},
		{"sk-learn, hf_model_name_of_a_long_kind, eyJ, AKIA", "sk-learn, hf_model_name_of_a_long_kind, eyJ, AKIA"},
		{"sk-learn-v2-compatible-estimators, key-value-memory-networks-for-2016-questions", "sk-learn-v2-compatible-estimators, key-value-memory-networks-for-2016-questions"},
	} {
		if got := redact.New(known).Text(c.text, nil); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// TestAuthorsOfPapers keeps addresses that a paper has in another form.
func TestAuthorsOfPapers(t *testing.T) {
	s := redact.New(nil).Scope([]qa.Message{{Role: qa.User, Text: "Observation:\n{ann,bob}@lab.edu, http://demo.lab.edu:8080/"}})
	text := "ann@lab.edu and bob@lab.edu at http://demo.lab.edu:8080/"
	if got := s.Message(qa.Message{Role: qa.Assistant, Text: text}).Text; got != text {
		t.Errorf("got %q", got)
	}
	if got := s.Message(qa.Message{Role: qa.Assistant, Text: "eve@lab.edu"}).Text; got != "[email]" {
		t.Errorf("got %q", got)
	}
}

// FuzzText redacts any text: the result is redacted, and JSON stays JSON.
func FuzzText(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, key := range keys {
		f.Add(key(random) + " ann@lab.edu http://gpu7:80/ /home/ann 10.0.0.1 C:\\Users\\Ann")
	}
	f.Add("\u0001\u00e9AKIAABCDEFGHIJKLMNOP \n\tx@y.zz")
	r := redact.New(nil)
	f.Fuzz(func(t *testing.T, text string) {
		raw, err := json.Marshal(text)
		if err != nil {
			return
		}
		if got := r.Text(string(raw), nil); !json.Valid([]byte(got)) {
			t.Errorf("%s became %s", raw, got)
		}
		if counts := (redact.Counts{}); r.Text(text, counts) == text && len(counts) > 0 {
			t.Errorf("%q is unchanged with %v", text, counts)
		}
	})
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat("[Thought]: Table 2 of the paper has the scores, so I look at the rows of BERT-large-uncased and "+
		"RoBERTa on SQuAD 2.0 next; the best F1 is 93.2.\n[Action]: Query(sql=\"SELECT table_content FROM tables WHERE "+
		"table_caption LIKE '%SQuAD%' AND pdf_id = '00608f20-e3f5-5fdc-8979-4efeb0756d8e'\")\n", 4)
	r := redact.New(nil)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Text(text, nil)
	}
}
