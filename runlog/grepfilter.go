package runlog

import (
	"bytes"

	"airqa/internal/literal"
)

// candidate reports whether a line may have the text, or refers to a stored text that has it. No decoding is needed for
// false. The answer is exact enough to decode few lines, and never false for a line with the text:
//
//   - A string with an escape sequence such as \u00e9 is normalized first, so that each character has one form.
//   - A text that is not UTF-8 has a form of its own, an object with the key "quoted".
//   - A stored text is named by a string of 64 hex digits, whatever its key.
//   - A message may have several parts, so that the text begins in one and ends in another.
func (w *grepWorker) candidate(raw []byte) bool {
	if bytes.HasPrefix(raw, []byte(`{"type":"start","episode":`)) {
		if _, usual := quickHead(raw); usual {
			return false // it has no text
		}
	}
	if literal.Unusual(raw) {
		w.plain = literal.Normalized(w.plain[:0], raw)
		raw = w.plain
	}
	return w.pattern.InJSON(raw) || hasQuoted(raw) || w.hasStored(raw) || joins(raw)
}

// hasQuoted reports whether a line may have a text in the form of [quoted].
func hasQuoted(raw []byte) bool { return hasKey(raw, 'q', "quoted") || hasKey(raw, 'Q', "quoted") }

// hasKey reports whether a line may have a key, whose case does not matter to [encoding/json], with a given first letter.
func hasKey(raw []byte, first byte, key string) bool {
	for {
		i := bytes.IndexByte(raw, first)
		if i < 0 || len(raw)-i <= len(key) {
			return false
		}
		if i > 0 && raw[i-1] == '"' && raw[i+len(key)] == '"' && bytes.EqualFold(raw[i:i+len(key)], []byte(key)) {
			return true
		}
		raw = raw[i+1:]
	}
}

// joins reports whether a line is a message of several parts, where the text may begin in one and end in another, or is
// in an unusual form.
func joins(raw []byte) bool {
	rest, usual := bytes.CutPrefix(raw, []byte(`{"type":"`))
	if !usual {
		return true
	}
	if !bytes.HasPrefix(rest, []byte(`message"`)) {
		return false
	}
	_, part, found := bytes.Cut(rest, []byte(`"parts":[{`))
	for _, key := range []string{`"text":"`, `"ref":"`} {
		if text, ok := bytes.CutPrefix(part, []byte(key)); ok && found {
			return string(afterString(text)) != "}]}\n"
		}
	}
	return true
}

// afterString returns what follows the end of a JSON string.
func afterString(raw []byte) []byte {
	for {
		i := bytes.IndexAny(raw, `"\`)
		switch {
		case i < 0 || i+1 >= len(raw):
			return nil
		case raw[i] == '"':
			return raw[i+1:]
		}
		raw = raw[i+2:]
	}
}

// hasStored reports whether a line may refer to a stored text that has the pattern or cannot be read.
func (w *grepWorker) hasStored(raw []byte) bool {
	const length = 64
	// Each name covers exactly one of the positions that are visited.
	for at := length - 1; at < len(raw); at += length {
		if !isHex(raw[at]) {
			continue
		}
		start, end := at, at+1
		for start > 0 && at-start < length && isHex(raw[start-1]) {
			start--
		}
		for end < len(raw) && end-at <= length && isHex(raw[end]) {
			end++
		}
		if end-start == length && quotedAt(raw, start, end) && w.stored(string(raw[start:end])).relevant() {
			return true
		}
	}
	return false
}

// quotedAt reports whether a range is a whole string, but not the name of an image.
func quotedAt(raw []byte, start, end int) bool {
	return start > 0 && end < len(raw) && raw[start-1] == '"' && raw[end] == '"' &&
		!bytes.HasSuffix(raw[:start-1], []byte(`"sha256":`))
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' }
