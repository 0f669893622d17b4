package action

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
)

// last is the tool that ends an episode. A call of it counts only where the model acts, never where it considers one.
const last = "Answer"

// stands reports whether the call c after the action label at mark i may run.
func (r *reader) stands(i int, c candidate, p parsed) bool {
	m := r.marks[i]
	if p.action.Name != last {
		return true
	}
	words := strings.TrimSpace(withoutFences(r.reply[m.end:c.at]))
	switch {
	case c.among, m.quoted, !m.line && (r.ahead[i+1] || denied(lineTo(r.reply, m.start))):
		return false
	case strings.Contains(words, "\n"), denied(words):
		return false // the words may be a result
	case hedged.MatchString(restOfLine(r.reply, p.end)), corrected.MatchString(following(r.reply, p.end)):
		return false
	}
	return r.line == 0 || r.line >= m.start || strings.TrimSpace(r.reply[r.line:m.start]) == ""
}

// alone reports whether the call at byte i without a label may run.
func (r *reader) alone(i int, p parsed) bool {
	if p.action.Name != last {
		return true
	}
	rest := strings.TrimLeft(restOfLine(r.reply, p.end), "`* \t")
	next, _ := utf8.DecodeRuneInString(rest)
	inTicks := i > 0 && r.reply[i-1] == '`' && !strings.HasSuffix(r.reply[:i], fence)
	return !inTicks && !unicode.IsLower(next) && !hedged.MatchString(rest) && !corrected.MatchString(following(r.reply, p.end)) &&
		!denied(before(r.reply[r.from:i]))
}

// before returns the end of the text before a call: its last line, without the mark of a fence.
func before(text string) string {
	const most = 400
	text = strings.TrimSpace(withoutFences(text[max(0, len(text)-most):]))
	return text[strings.LastIndexByte(text, '\n')+1:]
}

var fenceLine = lazyregexp.New("(?m)(?:```|~~~)[ \t]*[\\w+-]*[ \t]*\r?$")

// withoutFences removes the openings of fences from the end of lines.
func withoutFences(text string) string { return fenceLine.ReplaceAllString(text, "") }

func restOfLine(text string, i int) string { return text[i:lineEnd(text, i)] }

func lineEnd(text string, i int) int {
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}

// lineTo returns the text before byte i on its line.
func lineTo(text string, i int) string { return text[strings.LastIndexByte(text[:i], '\n')+1 : i] }

// following returns the beginning of the text after byte i.
func following(text string, i int) string {
	const most = 80
	text = strings.TrimLeft(text[i:], " \t\r\n`\"'*.;—–-")
	return text[:min(len(text), most)]
}

var (
	// denial is in the last clause before a call that it denies or only shows: "I should not yet write", "for example".
	denial = lazyregexp.New(`(?i)\b(?:not|never|avoid|cannot|if|unless|write|writes|says?|example|such as|template|syntax|nicht|niemals|jamais|nunca|не)\b` +
		`|\be\.g\b|n['’]t\b|\b(?:form|format|looks?|label|instructions?)\b.{0,20}\b(?:is|be|like|was|as)\b|不要|不能|不应|别|例如`)
	// hedged matches the text after a call that is part of a sentence: "would be too early".
	hedged = lazyregexp.New("(?i)^[`\"'”’*)\\s]*(?:\\?|,?\\s*(?:would|could|should|might|may|if|unless|only|once|when|until|later|not|yet|can|cannot|or|but|instead" +
		"|(?:is|was|seems|looks)\\s+(?:too|not|premature|wrong|only|what|the form|an example))\\b)")
	// corrected matches the text after a call that the model takes back: "wait, check first".
	corrected = lazyregexp.New(`(?i)^(?:but |oh |hm+[,. ]*)?(?:wait\b|no[,.!;:—–]|no wait|actually\b|hold on|hm+\b|scratch that|never ?mind|let me (?:first|check|verify|double|reconsider)|first,? (?:i|let)\b)`)
)

// denied reports whether the last clause of a text denies what follows it, or only quotes it.
func denied(text string) bool {
	text = strings.TrimRight(text, " \t\r\n:`*>(")
	if text == "" || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "。") || strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "e.g.") {
		return false
	}
	at := 0
	for _, end := range []string{", ", "; ", "! ", "? ", ". "} {
		at = max(at, strings.LastIndex(text, end)+1)
	}
	if strings.HasSuffix(text[:at], "e.g.") {
		at -= len("e.g.")
	}
	return denial.MatchString(text[at:])
}

// blank returns the name of an argument that is "..." as in the prompt's description, or "".
func blank(spec Spec, args bound) string {
	for _, p := range spec.Params {
		if isBlank(args[p.Name]) {
			return p.Name
		}
	}
	return ""
}

func isBlank(v python.Value) bool {
	all := func(items []python.Value) bool {
		for _, item := range items {
			if !isBlank(item) {
				return false
			}
		}
		return len(items) > 0
	}
	switch x := v.(type) {
	case python.Ellipsis:
		return true
	case string:
		s := strings.TrimSpace(x)
		return s == "..." || s == "…" || s == "<...>"
	case python.List:
		return all(x)
	case python.Tuple:
		return all(x)
	}
	return false
}
