package enrich

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/env/paperdb"
	"airqa/internal/lazyregexp"
)

// The lengths requested by the prompts. A reply may be half as long again; longer ones are cut after a sentence.
const (
	tldrWords    = 80
	summaryWords = 50
	tagCount     = 5
	tagLength    = 60
)

// fill converts the visible text of a reply to the content of the task's cell. An unusable reply is an error.
func (t task) fill(visible string) (paperdb.Fill, error) {
	f := paperdb.Fill{Column: t.column, Key: t.row}
	text, err := plain(visible)
	if err != nil {
		return f, err
	}
	switch t.field {
	case Tags:
		f.Tags, err = tagsIn(text)
	case TLDR:
		f.Text = shorten(text, tldrWords*3/2)
	default:
		f.Text = shorten(text, summaryWords*3/2)
	}
	return f, err
}

var (
	fence = lazyregexp.New("(?s)^```[a-zA-Z]*\n(.*?)\n?```$")
	label = lazyregexp.New(`(?i)^\**(?:summary|description|tl;?dr|short version|keywords|tags)\**\s*:\**\s*`)
)

// plain removes the wrapping that models put around an answer.
func plain(reply string) (string, error) {
	text := strings.TrimSpace(reply)
	if m := fence.FindStringSubmatch(text); m != nil {
		text = strings.TrimSpace(m[1])
	}
	text = label.ReplaceAllString(text, "")
	if n := len(text); n > 2 && text[0] == '"' && text[n-1] == '"' && strings.Count(text, `"`) == 2 {
		text = text[1 : n-1]
	}
	lower := strings.ToLower(text)
	switch {
	case strings.TrimSpace(text) == "":
		return "", errors.New("empty reply")
	case strings.HasPrefix(lower, "<!doctype") || strings.HasPrefix(lower, "<html"):
		return "", fmt.Errorf("the reply has no text: %.40q", text)
	}
	return strings.TrimSpace(text), nil
}

// shorten truncates a text to one paragraph of at most the given number of words, after a sentence if one ends in the
// last half.
func shorten(text string, words int) string {
	list := strings.Fields(text)
	if len(list) <= words {
		return strings.Join(list, " ")
	}
	list = list[:words]
	for i := words - 1; i >= words/2; i-- {
		if strings.HasSuffix(list[i], ".") {
			return strings.Join(list[:i+1], " ")
		}
	}
	return strings.Join(list, " ") + " …"
}

var bullet = lazyregexp.New(`^(?:[-*•]|\d+[.)])\s+`)

// tagsIn parses keywords: a JSON list, or words separated by commas, semicolons or newlines, bulleted or not.
func tagsIn(text string) ([]string, error) {
	var raw []string
	if json.Unmarshal([]byte(text), &raw) != nil {
		raw = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r == '\n' })
	}
	var tags []string
	for _, tag := range raw {
		tag = strings.TrimSpace(bullet.ReplaceAllString(strings.TrimSpace(tag), ""))
		tag = strings.Trim(tag, "\"'`*.[] ")
		same := func(t string) bool { return strings.EqualFold(t, tag) }
		if tag == "" || slices.ContainsFunc(tags, same) {
			continue
		}
		if len(tag) > tagLength {
			return nil, fmt.Errorf("the reply has no keywords: %.40q", text)
		}
		tags = append(tags, tag)
	}
	if len(tags) < 2 {
		return nil, fmt.Errorf("the reply is not a list of keywords: %.40q", text)
	}
	return tags[:min(len(tags), tagCount)], nil
}
