package runlog

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// keyMark begins the keys of the usual providers, and leastKey is how many characters of a key follow it: a server may
// repeat one that is not ours.
const (
	keyMark  = "sk-"
	leastKey = 16
)

// redacted stands in the place of a secret.
const redacted = "[redacted]"

// Redactor returns the function that every byte passes on its way into a run directory. Each secret of at least
// eight characters is replaced by "[redacted]", and the home directory by "~". Shorter secrets are left: replacing
// them would eat ordinary words.
func Redactor(secrets []string, home string) func([]byte) []byte {
	type swap struct{ old, new []byte }
	var swaps []swap
	for _, s := range secrets {
		if len(s) < 8 {
			continue
		}
		// A call's arguments are JSON within JSON.
		for _, form := range slices.Compact([]string{s, jsonForm(s), jsonForm(jsonForm(s))}) {
			swaps = append(swaps, swap{[]byte(form), []byte(redacted)})
		}
	}
	if len(strings.Trim(home, "/")) > 3 {
		swaps = append(swaps, swap{[]byte(strings.TrimRight(home, "/") + "/"), []byte("~/")})
	}
	return func(line []byte) []byte {
		line = redactKeys(line)
		for _, s := range swaps {
			if bytes.Contains(line, s.old) {
				line = bytes.ReplaceAll(line, s.old, s.new)
			}
		}
		return line
	}
}

// redactKeys replaces what looks like a key: keyMark at the start of a word, and at least leastKey characters of a key. A
// regular expression here took a sixth of the processor time of an episode.
func redactKeys(line []byte) []byte {
	var out []byte
	done := 0
	for at := 0; ; {
		i := bytes.Index(line[at:], []byte(keyMark))
		if i < 0 {
			break
		}
		start := at + i
		at = start + len(keyMark)
		if start > 0 && isWord(line[start-1]) && !escaped(line[:start]) {
			continue
		}
		end := at
		for end < len(line) && (isWord(line[end]) || line[end] == '-') {
			end++
		}
		if end-at < leastKey {
			continue
		}
		out = append(append(out, line[done:start]...), redacted...)
		done, at = end, end
	}
	if done == 0 {
		return line
	}
	return append(out, line[done:]...)
}

// escaped reports whether text ends in the escape sequence of a newline or another blank: its letter is not part of a word.
func escaped(text []byte) bool {
	n := len(text)
	return n > 1 && text[n-2] == '\\' && bytes.IndexByte([]byte("nrtbf"), text[n-1]) >= 0
}

// isWord tells whether a byte is one of a word: a letter of ASCII, a digit or an underscore.
func isWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}

// jsonForm is how a secret looks inside a JSON string.
func jsonForm(s string) string {
	raw, err := json.Marshal(s)
	if err != nil || len(raw) < 2 {
		return s
	}
	return string(raw[1 : len(raw)-1])
}
