package runlog

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"airqa/internal/ledger"
	"airqa/internal/words"
)

// keyMark is the prefix of common providers' keys, and leastKey the minimum number of characters after it. A server may
// repeat a key that is not ours.
const (
	keyMark  = "sk-"
	leastKey = 16
)

// redacted replaces a secret.
const redacted = "[redacted]"

// Redactor returns the filter for everything written to a run directory. It replaces each secret of at least eight
// characters by "[redacted]" and the home directory by "~". Shorter secrets would match ordinary words. Its result does
// not change if it is filtered again.
func Redactor(secrets []string, home string) func([]byte) []byte {
	type swap struct{ old, new []byte }
	var swaps []swap
	for _, s := range secrets {
		if len(s) < 8 || strings.Contains(redacted, s) {
			continue
		}
		// A call's arguments are JSON within JSON.
		var forms []string
		for _, form := range []string{s, jsonForm(s), jsonForm(jsonForm(s)), htmlForm(s), htmlForm(htmlForm(s))} {
			if !slices.Contains(forms, form) {
				forms = append(forms, form)
				swaps = append(swaps, swap{[]byte(form), []byte(redacted)})
			}
		}
	}
	if len(strings.Trim(home, "/")) > 3 {
		swaps = append(swaps, swap{[]byte(strings.TrimRight(home, "/") + "/"), []byte("~/")})
	}
	return func(line []byte) []byte {
		line = redactKeys(line)
		swapped := false
		for _, s := range swaps {
			if bytes.Contains(line, s.old) {
				line = bytes.ReplaceAll(line, s.old, s.new)
				swapped = true
			}
		}
		if swapped { // a key may have followed a secret without a space, as part of its last word
			line = redactKeys(line)
		}
		return line
	}
}

// redactKeys replaces likely keys: keyMark at the start of a word, followed by at least leastKey key characters that are
// no plain words ("sk-learn-compatible-estimators"). A regular expression took a sixth of the processor time of an episode.
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
		if end-at < leastKey || words.Hyphenated(string(line[at:end])) {
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

// escaped reports whether text ends in an escape sequence of JSON, whose last character is not part of a word.
func escaped(text []byte) bool {
	n := len(text)
	return n > 1 && text[n-2] == '\\' && bytes.IndexByte([]byte("nrtbf"), text[n-1]) >= 0 ||
		n > 5 && text[n-6] == '\\' && text[n-5] == 'u'
}

// isWord reports whether a byte is an ASCII letter, a digit or an underscore.
func isWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}

// jsonForm is a secret as it appears inside a JSON string, htmlForm with the escapes of HTML too.
func jsonForm(s string) string {
	raw, _ := ledger.Encode(s) // a string always has one
	return string(raw[1 : len(raw)-2])
}

func htmlForm(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw[1 : len(raw)-1])
}
