// Package literal finds every occurrence of a text, in decoded text and in the JSON that holds it. Start from
// [Compile]. It knows no regular expressions and no words.
package literal
