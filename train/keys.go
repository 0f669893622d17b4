package train

import (
	"slices"
	"strings"

	"airqa/internal/words"
)

// prefixes begin the keys of endpoints for models and of the services that agents and repositories use most.
var prefixes = []string{
	"sk-", "sk_live_", "hf_", "gsk_", "xai-", "r8_", "pplx-", "nvapi-", "tgp_v1_", "csk-", "jina_", "tvly-",
	"AKIA", "ASIA", "AIza", "ya29.", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "npm_", "pypi-",
}

// byFirst has the prefixes by their first byte.
var byFirst = func() (index [256][]string) {
	for _, p := range prefixes {
		index[p[0]] = append(index[p[0]], p)
	}
	return index
}()

// keys finds words that begin with a prefix and are no plain words ("sk-learn-compatible-estimators").
func keys(text string) []span {
	var list []span
	for i := 0; i < len(text); {
		if !keyByte(text[i]) {
			i++
			continue
		}
		start := afterEscape(text, i)
		for i < len(text) && keyByte(text[i]) {
			i++
		}
		word := strings.TrimRight(text[min(start, i):i], ".")
		if word == "" {
			continue
		}
		for _, prefix := range byFirst[word[0]] {
			if rest, ok := strings.CutPrefix(word, prefix); ok && isKey(rest) {
				list = append(list, span{start, start + len(word)})
				break
			}
		}
	}
	return list
}

// isKey reports whether the rest of a word may be drawn at random.
func isKey(rest string) bool {
	const leastKey = 16 // characters after a prefix
	return len(rest) >= leastKey && !words.Hyphenated(rest) &&
		slices.ContainsFunc([]byte(rest), func(b byte) bool { return b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' })
}

// afterEscape returns the position after the escape sequence of JSON, such as \n, that a word at i begins with.
func afterEscape(text string, i int) int {
	switch {
	case i == 0 || text[i-1] != '\\':
		return i
	case strings.IndexByte("bfnrt", text[i]) >= 0:
		return i + 1
	case text[i] == 'u':
		return min(i+5, len(text))
	}
	return i
}

// keyByte reports whether a byte may be part of a key.
func keyByte(b byte) bool {
	return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_' || b == '-' || b == '.'
}
