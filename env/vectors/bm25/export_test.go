package bm25

import "iter"

// Terms yields the terms of a text in order.
func Terms(text string) iter.Seq[string] { return terms(text, stem) }
