package export

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"airqa/qa"
	"airqa/train/format"
)

// texts prepares texts for files. Some words of a paper are commands to a trainer: it counts "<image>" as an image, reads
// "<|im_end|>" as the end of a turn and replaces "{{idx}}" by a number. They get a space after their first character.
type texts struct {
	// changed counts the changed words, and invalid UTF-8 under that name.
	changed map[string]int
	// known has texts that recur in the rows of an episode; nil keeps none.
	known map[string]*prepared
	// tools is the list of toolsOf as JSON, which the rows of a run share.
	tools   json.RawMessage
	toolsOf []qa.ToolSpec
}

// prepared is a text after its preparation.
type prepared struct {
	safe string
	// changed are its changed words.
	changed map[string]int
}

// textsOfEpisode prepares the texts of one episode, each of them once: messages recur from row to row.
func textsOfEpisode() *texts {
	return &texts{changed: make(map[string]int), known: make(map[string]*prepared)}
}

// keepFrom is the number of bytes of the shortest text that is kept.
const keepFrom = 128

// commands are the words to change, besides everything of the form <|name|>.
var commands = []string{"<image>", "<video>", "<audio>", "{{idx}}"}

// invalidUTF8 is the name under which replaced bytes are counted.
const invalidUTF8 = "invalid UTF-8"

// safe returns a text without commands.
func (t *texts) safe(s string) string {
	if t.known == nil || len(s) < keepFrom {
		return t.replaced(s)
	}
	p := t.known[s]
	if p == nil {
		one := texts{changed: make(map[string]int)}
		p = &prepared{safe: one.replaced(s), changed: one.changed}
		t.known[s] = p
	}
	add(t.changed, p.changed)
	return p.safe
}

// add adds counts to others.
func add(counts, more map[string]int) {
	for word, n := range more {
		counts[word] += n
	}
}

// toolList returns tools as the formats have them.
func (t *texts) toolList(specs []qa.ToolSpec) json.RawMessage {
	same := len(specs) == len(t.toolsOf) && (len(specs) == 0 || &specs[0] == &t.toolsOf[0])
	if !same || t.tools == nil {
		t.tools, t.toolsOf = format.ToolList(specs), specs
	}
	return t.tools
}

// replaced replaces the commands of a text.
func (t *texts) replaced(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
		t.changed[invalidUTF8]++
	}
	if !strings.Contains(s, "<") && !strings.Contains(s, "{{") {
		return s
	}
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); i++ {
		next := strings.IndexAny(s[i:], "<{")
		if next < 0 {
			break
		}
		i += next
		word := commandAt(s[i:])
		if word == "" {
			continue
		}
		t.changed[word]++
		b.WriteString(s[done : i+1])
		b.WriteByte(' ')
		done = i + 1
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// commandAt returns the command at the start of a text, or "".
func commandAt(s string) string {
	for _, word := range commands {
		if strings.HasPrefix(s, word) {
			return word
		}
	}
	if !strings.HasPrefix(s, "<|") {
		return ""
	}
	end := 2
	for end < len(s) && (s[end] == '_' || s[end] >= '0' && s[end] <= '9' || s[end]|0x20 >= 'a' && s[end]|0x20 <= 'z') {
		end++
	}
	if end > 2 && strings.HasPrefix(s[end:], "|>") {
		return s[:end+2]
	}
	return ""
}
