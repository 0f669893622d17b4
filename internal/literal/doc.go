// Package literal finds every occurrence of a text in another. Start from [Compile]. It knows no regular expressions and
// no words.
package literal
