// Package pystr gives Python's view of text and numbers where it differs from Go's: [Lower] with the rules for
// single characters and final sigma, [Strip] and [Fields] over Python's blanks, [Int] and [Float] as the
// constructors read text, [Round] as round() does. It knows str and numbers only; other values are the
// business of pyliteral.
package pystr
