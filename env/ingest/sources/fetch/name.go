package fetch

import (
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName bounds a file name in bytes: with suffixes it stays within what file systems take.
const maxName = 100

// nameOf derives a file name from an address: its last part, with the query where the path alone names nothing.
func nameOf(u *url.URL) string {
	base := path.Base(u.Path)
	if base == "/" || base == "." {
		base = u.Hostname()
	}
	if u.RawQuery != "" && !strings.EqualFold(path.Ext(base), ".pdf") {
		base += "_" + u.RawQuery
	}
	if name := safeName(base); name != "" {
		return name
	}
	return "paper"
}

// safeName makes a plain file name of a stranger's text: no folders, no hidden files, nothing that a shell or a file
// system takes for more than a letter. It is empty when nothing is left.
func safeName(text string) string {
	if strings.EqualFold(path.Ext(text), ".pdf") {
		text = text[:len(text)-len(".pdf")]
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "_") {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(".-_", r) {
			r = '_'
		}
		if b.Len()+utf8.RuneLen(r) > maxName {
			break
		}
		b.WriteRune(r)
	}
	return strings.Trim(b.String(), "._-")
}
