package redact

import (
	"slices"
	"strings"

	"airqa/qa"
)

// secretNames end the names of settings with secret values. A value after a weak name must look more like a secret.
var (
	secretNames = []string{
		"apikey", "secret", "secretkey", "accesskey", "accesstoken", "authtoken", "password", "passwd", "pwd",
		"passphrase", "privatekey", "bearer", "authorization", "credential", "credentials", "clientsecret",
	}
	weakNames = []string{"key", "token", "auth", "pass"}
)

// named finds the values of settings with the name of a secret, such as OPENAI_API_KEY=… or "password": "…".
func named(text string) []span {
	var list []span
	for i := range len(text) {
		assigned := (text[i] == '=' || text[i] == ':') && (i+1 == len(text) || text[i+1] != text[i])
		if !assigned && (text[i] != ' ' || !endsFold(text[:i], "bearer")) {
			continue
		}
		if name := nameBefore(text[:i]); name != "" {
			if start, end := valueAfter(text, i+1); secretValue(text[start:end], name) {
				list = append(list, span{start, end, Secret})
			}
		}
	}
	return list
}

// longestValue is the number of bytes of the longest value.
const longestValue = 1000

// valueAfter returns the next value: up to a space, quote or bracket, without the quotes before it and "Bearer".
func valueAfter(text string, start int) (from, to int) {
	const quotes = "\"'`"
	for limit := min(start+20, len(text)); start < limit && strings.IndexByte(quotes+" =:\\", text[start]) >= 0; {
		start++
	}
	start = afterEscape(text, start)
	if rest := text[start:]; len(rest) > 7 && strings.EqualFold(rest[:7], "bearer ") {
		start += 7
	}
	end := start
	for limit := min(start+longestValue, len(text)); end < limit && text[end] > ' ' && text[end] < 127 &&
		strings.IndexByte(quotes+",;)}]<>\\", text[end]) < 0; {
		end++
	}
	return start, end
}

func endsFold(text, suffix string) bool {
	return len(text) >= len(suffix) && strings.EqualFold(text[len(text)-len(suffix):], suffix)
}

// nameBefore returns the secret name at the end of a text, in lower case without separators, or "".
func nameBefore(text string) string {
	var name [24]byte
	at := len(name)
	for i := len(text) - 1; i >= max(0, len(text)-40) && at > 0; i-- {
		b := text[i]
		switch {
		case alphanumeric(b):
			at--
			name[at] = b | 0x20
		case b == '_' || b == '-':
		case at == len(name) && strings.IndexByte(" \"'`\\", b) >= 0:
		default:
			i = 0
		}
	}
	for _, list := range [][]string{secretNames, weakNames} {
		for _, suffix := range list {
			if strings.HasSuffix(string(name[at:]), suffix) {
				return suffix
			}
		}
	}
	return ""
}

// secretValue reports whether the value of a setting with a secret name is a secret: not a word, a number or code.
func secretValue(value, name string) bool {
	digits, lower, upper := classes(value)
	marked := strings.ContainsAny(value, "!@#%^&*?~")
	if strings.ContainsAny(value, "({$") || lower+upper == 0 {
		return false
	}
	if digits == 0 && !marked {
		return len(value) >= 10 && name != "token" && surprise(value) > 0.5*float64(len(value))
	}
	if slices.Contains(weakNames, name) {
		return len(value) >= 16 && digits > 1 && !qa.IsUUID(value) && diversity(value) >= 9
	}
	return len(value) >= 6
}
