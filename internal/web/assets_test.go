package web_test

import (
	"regexp"
	"strings"
	"testing"

	"airqa/internal/web"
)

// The scripts stay small, import only each other, and load nothing from elsewhere.
func TestScripts(t *testing.T) {
	total := 0
	for _, name := range []string{"theme.js", "dom.js", "morph.js", "live.js", "list.js", "filter.js", "copy.js", "notes.js", "keys.js", "app.js", "dialogue.js"} {
		text := web.ReadAsset(name)
		total += len(text)
		for _, m := range regexp.MustCompile(`from "([^"]*)"`).FindAllStringSubmatch(text, -1) {
			if !regexp.MustCompile(`^\./[a-z]+\.[0-9a-f]{16}\.js$`).MatchString(m[1]) {
				t.Errorf("%s imports %s", name, m[1])
			}
		}
		for _, bad := range []string{"http://", "https://", "eval(", "innerHTML", "document.write"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %s", name, bad)
			}
		}
	}
	if total == 0 || total > 100_000 {
		t.Errorf("%d bytes of scripts", total)
	}
}
