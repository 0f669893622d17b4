package action_test

import (
	"strings"
	"testing"

	"airqa/agent/action"
	"airqa/qa"
)

// notations are the ways in which models mark their thinking, and some that none uses yet.
var notations = []struct{ open, close string }{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"<thoughts>", "</thoughts>"},
	{"<THINK>", "</THINK>"},
	{"<reasoning>", "</reasoning>"},
	{"<scratchpad>", "</scratchpad>"},
	{"<reflection>", "</reflection>"},
	{"<analysis>", "</analysis>"},
	{"[THINK]", "[/THINK]"},
	{"[think]", "[/think]"},
	{"[REASONING]", "[/REASONING]"},
	{"◁think▷", "◁/think▷"},
	{"{think}", "{/think}"},
	{"<seed:think>", "</seed:think>"},
	{"<seed:cot_budget_reflect>", "</seed:cot_budget_reflect>"},
	{"< think >", "< /think >"},
	{`<think effort="high">`, "</think>"},
	{"<|START_THINKING|>", "<|END_THINKING|>"},
	{"<|begin_of_thought|>", "<|end_of_thought|>"},
	{"<|think|>", "<|/think|>"},
	{"<think_start>", "<think_end>"},
	{"<｜begin▁of▁thinking｜>", "<｜end▁of▁thinking｜>"},
	{"<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"},
	{"<|channel|>commentary<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"},
	{"analysis", "assistantfinal"},
	{"<|channel>thought", "<channel|>"},
	{"Here is my thought process:", "Here is my response:"},
	{"Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"},
	{"<!-- thinking", "-->"},
	{"```thinking", "```"},
	{"~~~reasoning", "~~~"},
	{":::thought", ":::"},
	{"<inner_monologue>", "</inner_monologue>"},
	{"<details type=\"reasoning\">", "</details>"},
	{"<message role=\"thinking\">", "</message>"},
	{"<思考>", "</思考>"},
	{"<raisonnement>", "</raisonnement>"},
	{"<Überlegung>", "</Überlegung>"},
	{"<размышление>", "</размышление>"},
	{"<plan>", "</plan>"},
	{"<<think>>", "<</think>>"},
	{"⟨think⟩", "⟨/think⟩"},
	{"《思考》", "《/思考》"},
	// unknown names
	{"<musing>", "</musing>"},
	{"<deep-work>", "</deep-work>"},
	{"<tentative_answer>", "</tentative_answer>"},
	{"<SUMMARY>", "</SUMMARY>"},
	{"<|reserved_12|>", "<|/reserved_12|>"},
	{"<note to-self=\"1\">", "</note>"},
	{"<details>", "</details>"},
}

// considering are replies that consider the answer "bad" between OPEN and CLOSE, and then search.
var considering = []struct {
	name   string
	format action.Format
	reply  string
}{
	{"label", "", "OPEN\nI guess it is done.\n[Action]: Answer(answer=\"bad\")\nwait, check first.\nCLOSE\n\n[Thought]: ok\n[Action]: Retrieve(query=\"x\")"},
	{"bare", "", "OPEN\nmaybe\nAnswer(answer=\"bad\")\nno.\nCLOSE\n\nRetrieve(query=\"x\")"},
	{"after a thought", "", "OPEN\na\nCLOSE\n[Thought]: so\nOPEN\n[Action]: Answer(answer=\"bad\")\nCLOSE\n[Action]: Retrieve(query=\"x\")"},
	{"after words", "", "OPEN\na\nCLOSE\nOkay.\nOPEN\nAnswer(answer=\"bad\")\nCLOSE\nRetrieve(query=\"x\")"},
	{"json", action.JSON, "OPEN\n{\"action_type\": \"Answer\", \"parameters\": {\"answer\": \"bad\"}}\nCLOSE\n[Action]: {\"action_type\": \"Retrieve\", \"parameters\": {\"query\": \"x\"}}"},
	{"yaml", action.YAML, "OPEN\n[Action]:\naction_type: Answer\nparameters:\n  answer: \"bad\"\nCLOSE\n[Action]:\naction_type: Retrieve\nparameters:\n  query: \"x\"\n"},
	{"xml", action.XML, "OPEN\n<action><action_type>Answer</action_type><parameters><answer>bad</answer></parameters></action>\nCLOSE\n" +
		"[Action]: <action><action_type>Retrieve</action_type><parameters><query>x</query></parameters></action>"},
}

// onlyOnce are notations that mark one block at the start of the reply.
func onlyOnce(open string) bool { return open == "analysis" || strings.HasPrefix(open, "Here") }

// An answer in a block of thinking never runs, wherever the reply is cut, and the call behind the block does.
func TestThinking(t *testing.T) {
	for _, n := range notations {
		for _, c := range considering {
			if onlyOnce(n.open) && strings.Count(c.reply, "OPEN") > 1 {
				continue
			}
			t.Run(n.open+"/"+c.name, func(t *testing.T) {
				reply := strings.NewReplacer("OPEN", n.open, "CLOSE", n.close).Replace(c.reply)
				if got := ran(reply, c.format, ""); got != "Retrieve(query='x', limit=5)" {
					t.Errorf("%q runs %q", reply, got)
				}
				neverBad(t, reply, c.format)
			})
		}
	}
}

// In these replies, blocks contain blocks, or stand where few models put them. They may be errors.
func TestThinkingNested(t *testing.T) {
	replies := []string{
		"OPEN\na\nOPEN\nb\nCLOSE\n[Action]: Answer(answer=\"bad\")\nCLOSE\n[Action]: Retrieve(query=\"x\")",
		"OPEN\na\n<think>b</think>\n[Action]: Answer(answer=\"bad\")\nCLOSE\n[Action]: Retrieve(query=\"x\")",
		"OPEN\na\n<musing>\nb\n</musing>\n[Action]: Answer(answer=\"bad\")\nCLOSE\n[Action]: Retrieve(query=\"x\")",
		"OPEN\nI write `CLOSE` and\n[Action]: Answer(answer=\"bad\")\nCLOSE\n[Action]: Retrieve(query=\"x\")",
		"[Thought]: OPENmaybe\n[Action]: Answer(answer=\"bad\")\nCLOSE\n[Action]: Retrieve(query=\"x\")",
		"OPENmaybe [Action]: Answer(answer=\"bad\") noCLOSE[Action]: Retrieve(query=\"x\")",
	}
	for _, n := range notations[:len(notations)-7] {
		for _, reply := range replies {
			if strings.Trim(n.close, "`~:") == "" || onlyOnce(n.open) || strings.HasPrefix(n.open, "<|channel") || strings.HasPrefix(n.open, "<!--") {
				continue // these cannot be nested, or begin a line
			}
			reply = strings.NewReplacer("OPEN", n.open, "CLOSE", n.close).Replace(reply)
			t.Run(reply, func(t *testing.T) { neverBad(t, reply, "") })
		}
	}
}

func ran(reply string, f action.Format, finish string) string {
	g := grammar()
	g.Format = f
	s := qa.Step{Reply: &qa.Reply{Text: reply, Finish: finish}}
	g.ReadStep(&s, action.AsText)
	if s.Action == nil {
		return ""
	}
	return s.Action.Text
}

func neverBad(t *testing.T, reply string, f action.Format) {
	t.Helper()
	for end := range len(reply) + 1 {
		if got := ran(reply[:end], f, qa.FinishLength); strings.HasPrefix(got, "Answer") {
			t.Errorf("%q runs %q", reply[:end], got)
			return
		}
	}
}

// The call comes first, so the thinking behind it changes nothing.
func TestThinkingAfterTheAction(t *testing.T) {
	for _, n := range notations {
		if onlyOnce(n.open) || strings.HasPrefix(n.open, "<|channel|>") {
			continue
		}
		reply := "[Action]: Retrieve(query=\"x\")\n" + n.open + "\nThen I answer:\nAnswer(answer=\"bad\")\n" + n.close + "\n"
		if got := ran(reply, "", "stop"); got != "Retrieve(query='x', limit=5)" {
			t.Errorf("%q runs %q", reply, got)
		}
	}
}

// One-shot baselines and exports see the same thinking.
func TestVisible(t *testing.T) {
	for _, n := range notations {
		reply := n.open + "\nmaybe\n" + n.close + "\n\n```txt\n42\n```"
		if got := action.LastBlock(reply); got != "42" {
			t.Errorf("%s: the last block of %q is %q", n.open, reply, got)
		}
		if got := grammar().WithoutThinking(reply); got != "```txt\n42\n```" {
			t.Errorf("%s: without thinking %q is %q", n.open, reply, got)
		}
		if strings.Contains(n.open, "``") {
			continue
		}
		drafted := n.open + "\nmaybe\n```txt\nbad\n```\nno"
		if got := action.LastBlock(drafted); strings.Contains(got, "bad") {
			t.Errorf("%s: the last block of a cut reply is %q", n.open, got)
		}
		if got := action.LastBlock(drafted + "\n" + n.close + "\n```txt\n42\n```"); got != "42" {
			t.Errorf("%s: the last block after a draft is %q", n.open, got)
		}
		if onlyOnce(n.open) || strings.HasPrefix(n.open, "<|channel|>") {
			continue
		}
		if got := action.LastBlock("```txt\n42\n```\n" + drafted + "\n" + n.close); got != "42" {
			t.Errorf("%s: the last block before a draft is %q", n.open, got)
		}
	}
}

// Tags around calls, and tags that a text mentions, hide nothing.
func TestPlainTags(t *testing.T) {
	for _, around := range []string{
		"<action>\nCALL\n</action>", "<tool_call>\nCALL\n</tool_call>", "<answer>\nCALL\n</answer>", "<response>\nCALL\n</response>", "<output>\nCALL\n</output>",
		"<|begin_of_solution|>\nCALL\n<|end_of_solution|>", "<|START_RESPONSE|>\n[Action]: CALL<|END_RESPONSE|>", "[Action]: CALL</s>", "[Action]: CALL\n<|im_end|>",
		"<Retrieve>\nCALL\n</Retrieve>", "[Action]:\n<minimax:tool_call>\nCALL\n</minimax:tool_call>", "```tool_call\nCALL\n```", "<step number=\"1\">\n[Action]: CALL\n</step>",
		"[Thought]: it adds <think> and `<reasoning>`, <mask> and [CLS].\n[Action]: CALL", "[Plan]\n1. search\n[Action]: CALL", "I think a < b and c > d.\nCALL",
		"Analysis:\nIt says so.\n[Action]: CALL", "analysis of the table: nothing.\n[Action]: CALL",
	} {
		if got := ran(strings.ReplaceAll(around, "CALL", `Retrieve(query="x")`), "", "stop"); got != "Retrieve(query='x', limit=5)" {
			t.Errorf("%q runs %q", around, got)
		}
	}
}
