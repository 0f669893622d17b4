// Package literal finds every occurrence of a text in another, as a reader compares them: the case of letters, the form of
// whitespace and the encoding of a character do not count. Start from [Compile]. It knows no regular expressions and no
// words.
package literal
