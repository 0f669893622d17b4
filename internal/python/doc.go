// Package python reads and prints Python literals: the answers and tool calls that language models write,
// and the texts that Python's str() and repr() would make of a value. Start from [Parse] (a whole text that
// is one literal), [ParseCall] (a call such as Query(sql="SELECT 1") inside a reply) and [Repr].
//
// Nothing is ever evaluated: a name, an operator or a call is an error with its position and a hint. Every
// literal form of Python 3.11 is known, among them adjacent strings, bytes, sets, complex numbers, \N{NAME}
// and line continuation. Texts that CPython's eval refuses for their form (more than 200 nested brackets,
// integers over 4,300 digits, a blank before the first token of a later line) are refused here too.
package python
