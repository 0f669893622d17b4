package offline

import (
	"regexp"
	"strconv"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
)

var (
	quotedStatement = lazyregexp.New(`“([^”]*` + blank + `[^”]*)”`)
	spaces          = lazyregexp.New(`[\s-]+`)
)

// stated answers questions whose exact answer is in a text: numbers missing from quoted statements, bibliographic data.
func (t *task) stated() (python.Value, bool) {
	for _, b := range bibliography {
		beginning, end, _ := strings.Cut(b.question, "%s")
		if strings.Contains(t.question, beginning) && strings.HasSuffix(t.question, end) {
			return t.match(b.line)
		}
	}
	var list python.List
	for _, m := range quotedStatement.FindAllStringSubmatch(t.question, -1) {
		before, after, _ := strings.Cut(m[1], blank)
		pattern, err := regexp.Compile(loosely(before) + `(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)` + loosely(after))
		if err != nil {
			return nil, false
		}
		v, ok := t.match(pattern)
		if !ok {
			return nil, false
		}
		list = append(list, v)
	}
	switch len(list) {
	case 0:
		return nil, false
	case 1:
		return list[0], true
	}
	return list, true
}

// loosely matches a text with any line breaks and hyphenation.
func loosely(text string) string {
	parts := spaces.Split(text, -1)
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return strings.Join(parts, `[\s-]*`)
}

// match returns what a pattern captures in one of the items: a number, or else a text.
func (t *task) match(pattern interface{ FindStringSubmatch(string) []string }) (python.Value, bool) {
	for _, it := range t.items {
		m := pattern.FindStringSubmatch(strings.Join(append(it.sentences(), it.text), "\n"))
		if m == nil {
			continue
		}
		digits := strings.ReplaceAll(m[1], ",", "")
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			return n, true
		}
		if x, err := strconv.ParseFloat(digits, 64); err == nil {
			return x, true
		}
		return m[1], true
	}
	return nil, false
}
