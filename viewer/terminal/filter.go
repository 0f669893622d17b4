package terminal

import (
	"fmt"
	"io"
	"strings"

	"airqa/trace"

	"github.com/alecthomas/kong"
)

// parseFilter reads the flags of airqa trace: `--status wrong --grep "learning rate"`. A text without a flag is searched,
// as with --grep.
func parseFilter(text string) (trace.Filter, error) {
	var f struct{ trace.Filter }
	args, err := split(text)
	if err != nil {
		return f.Filter, err
	}
	if len(args) > 0 && !strings.HasPrefix(text, "-") {
		f.Grep = text
		return f.Filter, nil
	}
	parser, err := kong.New(&f, kong.NoDefaultHelp(), kong.Writers(io.Discard, io.Discard))
	if err != nil {
		return f.Filter, err
	}
	if _, err := parser.Parse(args); err != nil {
		return f.Filter, err
	}
	return f.Filter, f.Check()
}

// split splits a line into words, as a shell does with quotes.
func split(text string) ([]string, error) {
	var words []string
	for {
		text = strings.TrimLeft(text, " \t")
		if text == "" {
			return words, nil
		}
		word, rest, err := first(text)
		if err != nil {
			return nil, err
		}
		words, text = append(words, word), rest
	}
}

// first returns the first word of a line: everything up to whitespace that is not in quotes.
func first(text string) (word, rest string, err error) {
	for text != "" {
		i := strings.IndexAny(text, "\"' \t")
		if i < 0 {
			return word + text, "", nil
		}
		word += text[:i]
		if text[i] == ' ' || text[i] == '\t' {
			return word, text[i:], nil
		}
		part, after, closed := strings.Cut(text[i+1:], text[i:i+1])
		if !closed {
			return "", "", fmt.Errorf("a quote %s is not closed", text[i:i+1])
		}
		word, text = word+part, after
	}
	return word, "", nil
}

// quoted quotes words for a shell where they need it.
func quoted(words []string) []string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:@%+,"
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		if w == "" || strings.Trim(w, plain) != "" {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
		}
	}
	return out
}

// command is the call of airqa that shows what is on the screen.
func (b *browser) command() string {
	words := append([]string{"airqa", "trace"}, b.Paths...)
	switch {
	case b.comparing():
		words = b.comparisonCommand()
	case b.screen != listScreen && b.view.id != trace.Key{}:
		words = []string{"airqa", "trace", b.view.id.Run, b.view.id.Episode}
	default:
		words = append(words, b.list.filter.Flags()...)
	}
	return strings.Join(quoted(words), " ")
}
