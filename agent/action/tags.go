package action

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// delimiters enclose the name of a tag, longer ones before their prefixes. A closing tag has a slash after the first.
// Text in brackets may also be a heading, so a bracketed tag counts on weaker evidence only with its closing tag.
var delimiters = []struct {
	open, close string
	bracket     bool
}{
	{"<|", "|>", false},
	{"<｜", "｜>", false},
	{"<<", ">>", false},
	{"<", ">", false},
	{"◁", "▷", false},
	{"⟨", "⟩", false},
	{"‹", "›", false},
	{"[[", "]]", true},
	{"[", "]", true},
	{"{{", "}}", true},
	{"{", "}", true},
	{"【", "】", true},
	{"《", "》", true},
	{"«", "»", true},
}

// phrases are the notations of thinking without tags. Each begins a line or the reply; opened and not closed, it hides
// the rest.
var phrases = []struct{ open, close string }{
	{"<|channel>", "<channel|>"},                               // Gemma
	{"Here is my thought process:", "Here is my response:"},    // Granite
	{"Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"}, // Apriel
	{"<!--", "-->"}, // a comment
	// a fence named for thinking
	{"```think", "\n```"},
	{"```thought", "\n```"},
	{"```reason", "\n```"},
	{"~~~think", "\n~~~"},
	{"~~~thought", "\n~~~"},
	{"~~~reason", "\n~~~"},
	{":::think", "\n:::"},
	{":::thought", "\n:::"},
	{":::reason", "\n:::"},
}

// thinkingParts occur in the names of tags around thinking, in their attributes, or in both: <seed:think>,
// <inner_monologue>, <details type="reasoning">.
var thinkingParts = []string{
	"think", "thought", "reason", "reflect", "scratch", "analys", "analyz", "monolog", "ponder", "delibera", "contempl", "ruminat",
	"brainstorm", "musing", "rationale", "introspec", "ideation", "cogitat", "chain_of", "draft", "hypothes", "critique",
	"denk", "gedank", "überleg", "pensa", "pensé", "razona", "raciocín", "raison", "ragiona", "réflexion", "réfléch", "мысл", "мышлен",
	"размышл", "рассужд", "思", "想", "推理", "考え", "생각", "추론",
}

// thinkingNames are thinking only as whole names.
var thinkingNames = words("cot plan planning inner internal self_talk verify verification")

// plainNames enclose or follow what a model says and does: they hide nothing.
var plainNames = words(`
	action actions next_action action_input action_type tool tools tool_call tool_calls tool_use tool_name tool_code function
	functions function_call function_calls function_name call calls invoke parameter parameters param params arg args argument
	arguments name answer final_answer final answers response final_response solution reply output final_output conclusion
	assistant model bot ai gpt agent react turn step s eos bos pad unk sep id eot eom im header header_id sentence text message
	channel constrain return endoftext end_of_text python_tag python json xml yaml sql code codeblock execute command query p br hr
	div span b i u em strong ul ol li a table tr td th pre html body root final_result content tool_sep`)

// weakResults are results only after an action: models also call their own replies so.
var weakResults = words("response output final_output final_response reply")

// resultNames enclose the result of an action, or open the turn of another speaker.
var resultNames = words(`result results observation observations information stdout stderr environment env feedback user human system
	ipython interpreter inst documents document passages passage snippets snippet rows evidence retrieved tool_outputs`)

// resultWords after one of resultSources name a result too: <tool_response>, <search_results>.
var (
	resultWords   = words("result results response responses output outputs return returns observation observations")
	resultSources = []string{"tool", "function", "search", "execution", "exec", "query", "api", "code", "action", "retriev", "call"}
)

// speakers are the roles whose turn is the model's own.
var speakers = words("assistant model bot ai gpt")

// boundaries are words in the names of tags that open or close: <|begin_of_thought|>, <|END_THINKING|>.
var (
	openers = words("begin start open")
	closers = words("end stop close finish")
)

func words(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

const (
	longestName = 64  // bytes of a tag's name
	longestTag  = 240 // bytes of a tag with its attributes
)

// tag is a tag in a reply.
type tag struct {
	// name is in lower case, without the words begin and end.
	name            string
	end             int
	closing, opened bool
	pipe, bracket   bool
	// shout is true for a name in capital or lower-case letters, unlike a heading.
	shout bool
	// thinks is true if the attributes name thinking.
	thinks bool
}

// tagAt reads the tag at byte i.
func tagAt(reply string, i int) (tag, bool) {
	for _, d := range delimiters {
		if !strings.HasPrefix(reply[i:], d.open) {
			continue
		}
		t := tag{bracket: d.bracket, pipe: len(d.open) > 1 && d.open[0] == '<'}
		at := pass(reply, i+len(d.open), " \t")
		if at < len(reply) && reply[at] == '/' {
			t.closing, at = true, pass(reply, at+1, " \t")
		}
		end := nameEnd(reply, at)
		if end == at && !t.pipe {
			continue
		}
		length := strings.Index(reply[end:min(len(reply), i+longestTag)], d.close)
		if length < 0 || !t.attributes(reply[end:end+length]) {
			continue
		}
		t.end = end + length + len(d.close)
		t.named(reply[at:end])
		return t, true
	}
	return tag{}, false
}

func nameEnd(reply string, i int) int {
	end := i
	for end < len(reply) && end-i < longestName {
		r, n := utf8.DecodeRuneInString(reply[end:])
		if !unicode.IsLetter(r) && !strings.ContainsRune("_:-.▁", r) && (end == i || !unicode.IsDigit(r)) {
			break
		}
		end += n
	}
	return end
}

// attributes reports whether a tag may have this text after its name: nothing, one word, or pairs.
func (t *tag) attributes(text string) bool {
	if strings.ContainsAny(text, "<>\n") {
		return false
	}
	trimmed := strings.TrimSpace(text)
	if strings.HasSuffix(trimmed, "/") {
		return false // it is empty
	}
	t.thinks = thinkingPart(strings.ToLower(trimmed))
	if trimmed == "" || strings.Contains(trimmed, "=") {
		return trimmed == "" || !t.bracket
	}
	return !t.bracket && text != trimmed && len(strings.Fields(trimmed)) == 1
}

// named sets the name and what it says about the kind of the tag.
func (t *tag) named(name string) {
	lower := strings.ToLower(name)
	t.shout = name == lower || name == strings.ToUpper(name)
	if at := strings.LastIndexByte(lower, ':'); at >= 0 && plainNames[lower[at+1:]] {
		lower = lower[at+1:] // <minimax:tool_call>
	}
	var kept []string
	for _, word := range strings.FieldsFunc(lower, func(r rune) bool { return strings.ContainsRune("_:-.▁", r) }) {
		switch {
		case openers[word]:
			t.opened = true
		case closers[word]:
			t.closing = true
		case word != "of":
			kept = append(kept, word)
		}
	}
	t.name = strings.Join(kept, "_")
}

func thinkingPart(text string) bool {
	for _, part := range thinkingParts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// kind classifies a tag by its name.
func (t *tag) kind() string {
	plain := plainNames[t.name] || t.name == ""
	switch {
	case t.thinks, !plain && t.known():
		return thinkTag
	case weakResults[t.name] && !t.pipe:
		return weakLabel
	case plain && t.closing && t.name != "":
		return plainTag
	case plain:
		return ""
	case t.result():
		return resultTag
	}
	return otherTag
}

// opensChannel reports whether the tag begins the head of a message of harmony: <|channel|>.
func (t *tag) opensChannel() bool { return t.pipe && t.name == "channel" && !t.closing }

// endsMessage reports whether the tag ends a message of harmony: <|end|>, <|return|>, <|call|>.
func (t *tag) endsMessage() bool {
	if !t.pipe {
		return false
	}
	switch t.name {
	case "":
		return t.closing
	case "return", "call":
		return true
	}
	return false
}

// opensTurn reports whether the name of a speaker may follow the tag: <|start|>, <|im_start|>, <start_of_turn>,
// <|start_header_id|>.
func (t *tag) opensTurn() bool {
	if !t.opened || t.closing {
		return false
	}
	switch t.name {
	case "":
		return t.pipe
	case "im", "turn":
		return true
	}
	return strings.HasPrefix(t.name, "header")
}

// known reports whether the name is one of thinking.
func (t *tag) known() bool { return thinkingNames[t.name] || thinkingPart(t.name) }

func (t *tag) result() bool {
	if resultNames[t.name] {
		return true
	}
	list := strings.Split(t.name, "_")
	if len(list) < 2 || !resultWords[list[len(list)-1]] {
		return false
	}
	for _, source := range resultSources {
		if strings.Contains(t.name, source) {
			return true
		}
	}
	return false
}
