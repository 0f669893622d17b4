package bpe

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/dlclark/regexp2/v2"
)

func splitterOf(c component) (splitter, error) {
	pattern, ok := c.Pattern["Regex"]
	if !ok {
		pattern = regexp2.Escape(c.Pattern["String"])
	}
	if pattern == "" {
		return nil, errors.New("pre_tokenizer Split has no pattern")
	}
	keepMatches, keepRest := true, true
	switch c.Behavior {
	case "Isolated":
	case "Removed":
		keepMatches, keepRest = c.Invert, !c.Invert
	default:
		return nil, fmt.Errorf("pre_tokenizer Split: behavior %q is not supported", c.Behavior)
	}
	if w, ok := wordsOf(pattern); ok && keepMatches {
		return w.split, nil // these patterns match every character
	}
	if longest, ok := digitPatterns[pattern]; ok && keepMatches && keepRest {
		return digits{longest, classes()}.split, nil
	}
	if part := unlikeOniguruma(pattern); part != "" {
		return nil, fmt.Errorf("pre_tokenizer Split: %s in pattern %s is not supported", part, pattern)
	}
	return regexSplitter(pattern, keepMatches, keepRest)
}

// The parts of patterns that mean something else in Oniguruma, the engine of the tokenizers library, than in regexp2.
var (
	patternParts = regexp.MustCompile(`(?s)\\.|\[(?:\\.|[^\\\]])*\]?|\{,|\(\?[msx]|.`)
	unlikeParts  = []string{`\w`, `\W`, `\b`, `\B`, `^`, `$`, `{,`, `(?m`, `(?s`, `(?x`}
	classParts   = regexp.MustCompile(`(?s)\\.|&&|.`)
	unlikeInside = []string{`\w`, `\W`, `&&`, `[`}
)

// unlikeOniguruma returns the first such part of a pattern, or "".
func unlikeOniguruma(pattern string) string {
	for _, part := range patternParts.FindAllString(pattern, -1) {
		if slices.Contains(unlikeParts, part) {
			return part
		}
		if part[0] != '[' {
			continue
		}
		for _, inside := range classParts.FindAllString(part[1:], -1) {
			if slices.Contains(unlikeInside, inside) {
				return part
			}
		}
	}
	return ""
}

// regexSplitter splits at the matches of a regular expression. Its character categories are those of the standard
// library, which may lack characters newer than Unicode 15.
func regexSplitter(pattern string, keepMatches, keepRest bool) (splitter, error) {
	re, err := regexp2.Compile(pattern, regexp2.OptionMaxBacktrackingStackSize(-1))
	if err != nil {
		return nil, fmt.Errorf("pre_tokenizer Split: %w", err)
	}
	return func(text string, emit func(string)) {
		matches, _ := re.FindAllStringIndex(text, -1) // fails only at a timeout, which is not set
		done := 0
		for _, match := range matches {
			if keepRest && done < match[0] {
				emit(text[done:match[0]])
			}
			if keepMatches && match[0] < match[1] {
				emit(text[match[0]:match[1]])
			}
			done = match[1]
		}
		if keepRest && done < len(text) {
			emit(text[done:])
		}
	}, nil
}
