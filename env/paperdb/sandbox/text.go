package sandbox

import (
	"strings"
	"unicode/utf8"

	"airqa/internal/lazyregexp"
)

// Limits for the text of a statement. The tree of a statement grows exponentially with nested WITH clauses, and the
// parser is recursive.
const (
	maxLength  = 16 << 10 // bytes
	maxNesting = 100      // nesting depth of brackets
	maxWith    = 6        // WITH clauses
)

var withWord = lazyregexp.New(`(?i)\bwith\b`)

// CheckText returns a [*Refusal] for text that could exhaust the parser.
func CheckText(text string) error {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return &Refusal{Kind: Syntax, Text: "The statement holds characters that are no text."}
	}
	if len(text) > maxLength {
		return refuse("The statement is too long: %d bytes, %d are allowed.", len(text), maxLength)
	}
	bare, err := bare(text)
	if err != nil {
		return err
	}
	if len(withWord.FindAllStringIndex(bare, maxWith+1)) > maxWith {
		return refuse("The statement has too many WITH clauses; %d are allowed, each with several tables.", maxWith)
	}
	depth := 0
	for _, r := range bare {
		switch r {
		case '(', '[', '{':
			if depth++; depth > maxNesting {
				return refuse("The statement nests too deep; %d brackets within brackets are allowed.", maxNesting)
			}
		case ')', ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return nil
}
