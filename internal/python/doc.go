// Package python parses and prints Python literals: the answers and tool calls that language models write, and the
// results of Python's str() and repr(). Start from [Parse] (a whole text that is one literal), [ParseCall] (a call such
// as Query(sql="SELECT 1") inside a reply) and [Repr].
//
// Nothing is evaluated: a name, an operator or a call is an error with its position and a hint. Every literal form of
// Python 3.11 is supported, including adjacent strings, bytes, sets, complex numbers and line continuation, but for
// names of characters (\N{BULLET}). The limits of CPython's eval apply (200 nested brackets, integers of 4,300 digits,
// no indentation before the first token of a later line).
package python
