package action_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"airqa/agent/action"
	"airqa/qa"
)

// styled is a reply in the style of a model, with the readings that are right; ERR is an error.
type styled struct {
	Name, Format, Reply, Finish string
	Want                        []string
}

// decided are replies of which a rule demands another reading than their authors.
var decided = map[string]string{
	"gemini default_api":                            "a name with a prefix is the tool",
	"considered / en todo comment":                  "words may follow an answer with a label",
	"considered / en earlier call told":             "the first call counts, on a line of its own too",
	"arguments / answer and then verification call": "an answer before another call is not final",
}

// TestStyles reads replies in the styles of many models, whole and cut at every byte.
func TestStyles(t *testing.T) {
	type numbers struct{ useful, rightErrors, lostAnswers, wrong, harmless int }
	styles := make(map[string]*numbers)
	for _, name := range []string{"replies.jsonl", "replies-styles.jsonl"} {
		f, err := os.Open("../../../shared/data/replies/" + name)
		if err != nil {
			t.Skip("the replies of models are not beside the checkout")
		}
		defer func() { _ = f.Close() }()
		lines := bufio.NewScanner(f)
		for lines.Buffer(nil, 1<<24); lines.Scan(); {
			var s styled
			if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(s.Name, "native ") {
				continue // its calls are not in the file
			}
			style, _, ok := strings.Cut(s.Name, " / ")
			if !ok {
				style = "earlier"
			}
			if styles[style] == nil {
				styles[style] = &numbers{}
			}
			n := styles[style]
			got := s.read(s.Reply, s.Finish)
			wantsAnswer := !slices.Contains(s.Want, "ERR") && strings.HasPrefix(s.Want[0], "Answer(")
			switch right := slices.Contains(s.Want, got); {
			case right && got != "ERR":
				n.useful++
			case right:
				n.rightErrors++
			case got == "ERR" && wantsAnswer:
				n.lostAnswers++
				t.Errorf("%s is an error", s.Name)
			case got == "ERR":
				n.harmless++
			default:
				n.wrong++
				if decided[s.Name] == "" {
					t.Errorf("%s runs %s, want %q", s.Name, got, s.Want)
				}
			}
			if !wantsAnswer && len(s.Reply) < 5000 && decided[s.Name] == "" {
				s.cut(t)
			}
		}
	}
	total := numbers{}
	for style, n := range styles {
		t.Logf("%-12s %+v", style, *n)
		total.useful += n.useful
	}
	if total.useful < 120 {
		t.Errorf("%d useful replies, want at least 120", total.useful)
	}
}

func (s styled) read(reply, finish string) string {
	g := grammar()
	g.Format = action.Format(s.Format)
	step := qa.Step{Reply: &qa.Reply{Text: reply, Finish: finish}}
	if g.ReadStep(&step, action.AsText); step.Action == nil {
		return "ERR"
	}
	return step.Action.Text
}

// cut reads every prefix of a reply that holds no answer: none may run one, but where the call itself ends.
func (s styled) cut(t *testing.T) {
	for end := range len(s.Reply) {
		got := s.read(s.Reply[:end], qa.FinishLength)
		closed := strings.HasSuffix(strings.TrimRight(s.Reply[:end], " \n`"), ")") || strings.HasSuffix(strings.TrimRight(s.Reply[:end], " \n"), "}")
		if strings.HasPrefix(got, "Answer(") && !slices.Contains(s.Want, got) && !closed {
			t.Errorf("%s cut at %d runs %s", s.Name, end, got)
			return
		}
	}
}
