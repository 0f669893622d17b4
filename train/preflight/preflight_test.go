package preflight_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/train/format"
	"airqa/train/preflight"
	"airqa/train/preflight/template"
)

// words counts words and special tokens: a tokenizer whose counts are easy to check by hand.
type words struct{}

func (words) split(text string) []string {
	text = strings.NewReplacer("<|im_start|>", " <|im_start|> ", "<|im_end|>", " <|im_end|> ", "\n", " \\n ").Replace(text)
	return strings.Fields(text)
}

func (w words) Count(text string) int { return len(w.split(text)) }

func (w words) Encode(dst []int32, text string) []int32 {
	for range w.split(text) {
		dst = append(dst, 0)
	}
	return dst
}

func (words) Decode(ids []int32) string { return strings.Repeat("·", len(ids)) }

func (words) ID(token string) (int32, bool) { return 0, token == "<|im_end|>" }

func check(t *testing.T, c preflight.Config) *preflight.Checker {
	t.Helper()
	c.Tokenizer = words{}
	k, err := preflight.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func turns(texts ...string) (list []format.Turn) {
	for i, text := range texts {
		list = append(list, format.Turn{Role: [2]string{"human", "gpt"}[i%2], Text: text})
	}
	return list
}

func TestMeasure(t *testing.T) {
	long := strings.Repeat("word ", 100)
	tests := []struct {
		name   string
		config preflight.Config
		c      format.Dialogue
		want   preflight.Verdict
	}{
		{
			"whole",
			preflight.Config{MaskHistory: true},
			format.Dialogue{System: "s", Turns: turns("q", "a", "o", "b")},
			preflight.Verdict{Outcome: preflight.Kept, Tokens: 30, Trained: 3, HeadWhole: true, TargetWhole: true},
		},
		{
			"every answer",
			preflight.Config{},
			format.Dialogue{System: "s", Turns: turns("q", "a", "o", "b")},
			preflight.Verdict{Outcome: preflight.Kept, Tokens: 30, Trained: 6, HeadWhole: true, TargetWhole: true},
		},
		{
			"the head is cut",
			preflight.Config{MaskHistory: true, CutoffLen: 60},
			format.Dialogue{System: "s", Turns: turns(long, "a", "o", "b")},
			preflight.Verdict{Outcome: preflight.Kept, Tokens: 60, Trained: 3, Cut: 69, TargetWhole: true},
		},
		{
			"the target is cut",
			preflight.Config{CutoffLen: 60},
			format.Dialogue{System: "s", Turns: turns(long, "a", "o", "b")},
			preflight.Verdict{Outcome: preflight.Kept, Tokens: 60, Trained: 3, Cut: 69},
		},
		{
			"packing takes one",
			preflight.Config{MaskHistory: true, CutoffLen: 30, Packing: true},
			format.Dialogue{System: "s", Turns: turns("q", "a", "o", "b")},
			preflight.Verdict{Outcome: preflight.Kept, Tokens: 29, Trained: 3, Cut: 1, TargetWhole: true},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := check(t, tt.config).Measure(tt.c)
			tt.want.Reasons = []string{}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Measure (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSpans(t *testing.T) {
	k := check(t, preflight.Config{MaskHistory: true, CutoffLen: 25})
	var got strings.Builder
	for _, s := range k.Spans(format.Dialogue{System: "s", Turns: turns("q", "a", "o", "b")}) {
		got.WriteString("[" + string(s.State) + " " + strings.ReplaceAll(s.Text, "\n", "/") + "]")
	}
	const want = "[context <|im_start|>system/s<|im_end|>/····][cut ·····]" +
		"[context a<|im_end|>/<|im_start|>user/o<|im_end|>/<|im_start|>assistant/]" +
		"[trained b<|im_end|>/]"
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("Spans (-want +got):\n%s", diff)
	}
}

// Rows are measured with and without a tokenizer under every template that is known.
func TestEveryTemplate(t *testing.T) {
	for _, name := range template.Names() {
		k, err := preflight.New(preflight.Config{Template: name})
		if err != nil {
			t.Fatal(err)
		}
		d := format.Dialogue{System: "s", Turns: turns("q", "a", "o", "b")}
		estimated, counted := k.Measure(d), check(t, preflight.Config{Template: name}).Measure(d)
		if !estimated.Whole() || !counted.Whole() || estimated.Trained == 0 || counted.Trained == 0 {
			t.Errorf("%s: %+v, %+v", name, estimated, counted)
		}
	}
}
