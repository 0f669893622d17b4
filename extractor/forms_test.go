package extractor_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/prompts"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/models"
)

// ownPrompts ask for other replies than the built-in ones: without evidence, with a tag, and a question without a label.
var ownPrompts = map[string]string{
	"synth_explore":       "ASK {description}\n```txt\n[QUESTION]: q\n[ANSWER]: a\n```\n{hint}\n{context}",
	"synth_retrieval":     "DESCRIBE {title}\n```\nthe question\n```",
	"synth_track":         "ADAPT {evaluator}\n```\n[Q]: ignored\n[question]: q\n[tag]: t\n[evaluator]: e\n[answer_format]: f\n[answer]: a\n```\n```\n[question]: {question}\n[answer]: {answer}\n```",
	"synth_function":      "<{function}>",
	"synth_context_table": "```html\n{content}\n```",
}

// replies answers own prompts. Its first tags are wrong.
type replies struct {
	t               *testing.T
	explored, asked atomic.Int64
}

func (m *replies) Complete(_ context.Context, r qa.Request) (qa.Reply, error) {
	m.asked.Add(1)
	text, usage := r.Messages[0].Text, qa.Usage{Prompt: 1000}
	answer := func(s string) (qa.Reply, error) { return qa.Reply{Text: s, Usage: usage}, nil }
	switch n := string(rune('a' + m.explored.Add(1)%26)); {
	case strings.HasPrefix(text, "ASK"):
		if !strings.Contains(text, "\n```html\n<table>") {
			m.t.Errorf("no table between fences in %s", text)
		}
		return answer("```\n[Question]: Which speed has system " + strings.Repeat(n, 9) + "?\n[Answer]: 120\n```")
	case strings.HasPrefix(text, "DESCRIBE"):
		return answer("```\nWhich paper has " + strings.Repeat(n, 9) + "?\n```")
	case !strings.HasPrefix(text, "ADAPT <eval_string_exact_match>\n\n<eval_string_fuzzy_match>\n\n"):
		m.t.Errorf("another prompt: %s", text)
	}
	_, question, _ := strings.Cut(text, "```\n[question]: ")
	tag := "subjective"
	if strings.Contains(text, "[tag] is \"subjective\", but with eval_int_exact_match it must be objective") {
		tag = "`Objective`."
	}
	return answer("```\n[Q]: x\n[question]: " + strings.SplitN(question, "\n", 2)[0] + "\n[tag]: " + tag +
		"\n[evaluator]: {\"eval_func\": \"eval_int_exact_match\", \"eval_kwargs\": {\"gold\": 120}}\n[answer_format]: An integer.\n[answer]: 120\n```")
}

// Prompts of one's own decide what replies have: a gate is skipped for want of its field, a tag is in the question, and a tag that
// contradicts the evaluator is asked for again. Calls of a tracker of its own are priced as its own.
func TestOwnPrompts(t *testing.T) {
	b := newBench(t)
	explorer, tracker := &replies{t: t}, &replies{t: t}
	b.change = func(c *extractor.Config) {
		c.Prompts = prompts.Of(ownPrompts)
		c.Model.Endpoint, c.Tracker = explorer, models.Model{Endpoint: tracker, Described: map[string]any{"provider": "other"}, Price: &qa.Price{Prompt: 50}}
		var err error
		if c.Gates, err = gate.Select([]string{gate.Located, gate.GoldPasses}); err != nil {
			t.Fatal(err)
		}
	}
	ended := b.must([]candidate.Quota{{Category: "single-table", Count: 2, Most: 2}, {Category: candidate.Retrieval, Count: 1, Most: 1}})
	if ended.Accepted != 3 || explorer.asked.Load() != 3 || tracker.asked.Load() != 4 {
		t.Fatalf("%+v, %d calls of the explorer, %d of the tracker", ended.Tally, explorer.asked.Load(), tracker.asked.Load())
	}
	for line := range strings.SplitSeq(strings.TrimSpace(b.file(candidate.QuestionsFile)), "\n") {
		ex, _, ok := dataset.Decode([]byte(line))
		synth, _ := candidate.SynthOf(ex)
		located := synth.Gates[slices.IndexFunc(synth.Gates, func(g candidate.Gate) bool { return g.Name == gate.Located })]
		want := candidate.Gate{Name: gate.Located, Verdict: candidate.Skipped, Detail: "the prompt synth_explore asks for no evidence"}
		if synth.Category == candidate.Retrieval {
			want = candidate.Gate{Name: gate.Located, Verdict: candidate.Passed}
		}
		if !ok || located != want || !slices.Contains(ex.Tags, "objective") || slices.Contains(ex.Tags, "subjective") {
			t.Errorf("%+v, tags %v", located, ex.Tags)
		}
	}
	for _, s := range ended.Stages {
		if want := map[string]float64{candidate.Explore: 3 * 3e-3, candidate.Track: 4 * 50e-3}[s.Stage]; want > 0 && (s.USD == nil || *s.USD < want*0.999 || *s.USD > want*1.001) {
			t.Errorf("%s cost %v, want %v", s.Stage, s.USD, want)
		}
	}
}
