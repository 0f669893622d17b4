package export

import (
	"strings"
	"unicode/utf8"
)

// texts prepares texts for files. Some words of a paper are commands to a trainer: it counts "<image>" as an image, reads
// "<|im_end|>" as the end of a turn and replaces "{{idx}}" by a number. They get a space after their first character.
type texts struct {
	// changed counts the changed words, and invalid UTF-8 under that name.
	changed map[string]int
}

// commands are the words to change, besides everything of the form <|name|>.
var commands = []string{"<image>", "<video>", "<audio>", "{{idx}}"}

// invalidUTF8 is the name under which replaced bytes are counted.
const invalidUTF8 = "invalid UTF-8"

// safe returns a text without commands.
func (t *texts) safe(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
		t.changed[invalidUTF8]++
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
