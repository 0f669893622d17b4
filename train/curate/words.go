package curate

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// words returns the words of a text for comparison: compatibility-normalised, in lower case, without marks and
// punctuation. Hyphens, apostrophes and soft hyphens inside a word join its parts ("pre-training" is "pretraining"). A Chinese or Japanese
// character is a word.
func words(text string) []string {
	var list []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			list = append(list, word.String())
			word.Reset()
		}
	}
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			end()
			list = append(list, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word.WriteRune(unicode.ToLower(r))
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune("-‐‑'’", r):
		default:
			end()
		}
	}
	end()
	return list
}

// grams returns the hashes of the n-grams of words, in order. A shorter text is one gram.
func grams(words []string, n int) []uint64 {
	if len(words) == 0 {
		return nil
	}
	var list []uint64
	for i := 0; i == 0 || i+n <= len(words); i++ {
		list = append(list, hash(strings.Join(words[i:min(i+n, len(words))], " ")))
	}
	return list
}

// hash is the same on every machine and in every invocation.
func hash(parts ...string) uint64 {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return binary.LittleEndian.Uint64(sum[:])
}
