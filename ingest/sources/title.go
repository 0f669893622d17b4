package sources

import (
	"fmt"
	"hash"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"airqa/internal/fuzzy"
)

// minRatio is the ratio at which the reference implementation considers two titles equal.
const minRatio = 90

// titles indexes the titles of all records.
type titles struct {
	hash  string
	exact map[string][]string // paths by normalised title
	list  []titled
	sum   hash.Hash
}

type titled struct {
	path, title string // the title in lower case
	length      int    // in characters
}

// ByTitle returns the file of the record with a title: the same letters and digits, or else the most similar one with a
// FuzzyWuzzy ratio of at least 90. path is empty if there is none, or if several are equally similar, as described by
// problem.
func (f *Records) ByTitle(title string) (path, problem string, err error) {
	t, err := f.index()
	if err != nil {
		return "", "", err
	}
	title = strings.ToLower(strings.TrimSpace(title))
	if title == "" {
		return "", "", nil
	}
	found := t.exact[normal(title)]
	if len(found) == 0 {
		best, length := minRatio, utf8.RuneCountInString(title)
		for _, c := range t.list {
			if all := length + c.length; 200*min(length, c.length)+all < best*all { // plus one for rounding
				continue // too different in length, even if the whole shorter title is common
			}
			switch score := fuzzy.Ratio(title, c.title); {
			case score > best:
				best, found = score, []string{c.path}
			case score == best:
				found = append(found, c.path)
			}
		}
	}
	switch len(found) {
	case 0:
		return "", "", nil
	case 1:
		return found[0], "", nil
	}
	return "", fmt.Sprintf("metadata: %d records have this title, including %s and %s: ignored", len(found),
		filepath.Base(found[0]), filepath.Base(found[1])), nil
}

// normal keeps letters and digits like the rule for paper ids (package qa), but of all alphabets.
func normal(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r > 0x7f && r != 0xa0 && (r < 0x2000 || r > 0x206f): // no dash, quote or space of typesetting
			return r
		}
		return -1
	}, title)
}
