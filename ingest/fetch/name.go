package fetch

import (
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the maximum length of a file name in bytes, leaving room for suffixes within file system limits.
const maxName = 100

// nameOf derives a file name from a URL: the last path element, with the query if the path is not specific.
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

// safeName converts untrusted text to a plain file name: no folders, no hidden files, no special characters of shells
// and file systems. The result is empty if nothing is left.
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
