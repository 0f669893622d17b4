package action_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/agent/action"
	"airqa/qa"
)

func TestParts(t *testing.T) {
	for reply, want := range map[string][]string{
		"[Thought]: <summary>found 3</summary> continue\n[Action]: Query(sql=\"x\")": {
			"hidden reasoning: <summary>found 3</summary>", "thought: continue", `action: Query(sql="x")`,
		},
		"[Thought]: <plan>1. search 2. answer</plan>\n[Action]: Query(sql=\"x\")": {"hidden reasoning: <plan>1. search 2. answer</plan>", `action: Query(sql="x")`},
		"<think>hm</think>\nFirst a look.\n**Action:** Query(sql='x')\nObservation: none": {
			"hidden reasoning: <think>hm</think>", "thought: First a look.", "action: Query(sql='x')", "rest of the reply: Observation: none",
		},
		"began in the prompt</think>[Thought]: b\n[Action]:\n```python\nQuery(sql='x')\n```\nThat is all.": {
			"hidden reasoning: began in the prompt</think>", "thought: b", "rest of the reply: ```python", "action: Query(sql='x')",
			"rest of the reply: ```\nThat is all.",
		},
		"[Thought]: a\n[Action]: none\n[Thought]: b\n[Action]: Query(sql='x')": {
			"rest of the reply: [Thought]: a\n[Action]: none", "thought: b", "action: Query(sql='x')",
		},
		"<b>bold</b> and <i>x</i>\n[Action]: Query(sql='x') <notes>done</notes>": {
			"thought: <b>bold</b> and <i>x</i>", "action: Query(sql='x')", "rest of the reply: <notes>done</notes>",
		},
		"  \n":                               nil,
		"<musing>no call</musing> so I stop": {"hidden reasoning: <musing>no call</musing>", "rest of the reply: so I stop"},
	} {
		var got []string
		for _, p := range read(reply) {
			got = append(got, p.Kind+": "+reply[p.First:p.End])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", reply, diff)
		}
	}
}

// read returns the parts of a reply.
func read(reply string) []action.Part {
	g := grammar()
	s := qa.Step{Reply: &qa.Reply{Text: reply}}
	g.ReadStep(&s, action.AsText)
	return g.Parts(s)
}

// label is what may be in no part: the label of the thought or the action.
var label = regexp.MustCompile(`^[\s>*#_\d.\\-]*[\[【［]?[\pL ]+[\s#\d]*\\?[\]】］]?[*_\s]*[:：]?[*_]*$`)

// The parts of a reply are all of it but whitespace and two labels.
func TestPartsAreTheWholeReply(t *testing.T) {
	for _, e := range corpus(t) {
		for _, f := range e.Formats {
			for _, protocol := range []action.Protocol{action.AsText, action.AsCall, action.AsTextOrCall} {
				reply := in(t, e.Reply, action.Format(f))
				g := grammar()
				g.Format = action.Format(f)
				s := qa.Step{Reply: &qa.Reply{Text: reply}}
				g.ReadStep(&s, protocol)
				at, labels := 0, 0
				for _, p := range append(g.Parts(s), action.Part{Span: qa.Span{First: len(reply), End: len(reply)}}) {
					if p.First < at || p.End > len(reply) {
						t.Fatalf("%s, %s: part %v after byte %d of %q", e.Name, f, p, at, reply)
					}
					if gap := strings.TrimSpace(reply[at:p.First]); gap != "" {
						if labels++; labels > 2 || !label.MatchString(gap) {
							t.Errorf("%s, %s: %q of %q is in no part", e.Name, f, gap, reply)
						}
					}
					at = p.End
				}
			}
		}
	}
}
