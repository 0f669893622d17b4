package runlog

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// keyPattern is what keys of the usual providers look like: a server may repeat one that is not ours.
var keyPattern = regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}`)

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
		swaps = append(swaps, swap{[]byte(s), []byte("[redacted]")}, swap{jsonForm(s), []byte("[redacted]")})
	}
	if len(strings.Trim(home, "/")) > 3 {
		swaps = append(swaps, swap{[]byte(strings.TrimRight(home, "/") + "/"), []byte("~/")})
	}
	return func(line []byte) []byte {
		line = keyPattern.ReplaceAll(line, []byte("[redacted]"))
		for _, s := range swaps {
			if bytes.Contains(line, s.old) {
				line = bytes.ReplaceAll(line, s.old, s.new)
			}
		}
		return line
	}
}

// jsonForm is how a secret looks inside a JSON string.
func jsonForm(s string) []byte {
	raw, err := json.Marshal(s)
	if err != nil || len(raw) < 2 {
		return []byte(s)
	}
	return raw[1 : len(raw)-1]
}
