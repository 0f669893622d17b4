package annotate

import "airqa/bench/dorismae"

// Fill returns the question about a pair.
func (c Config) Fill(p dorismae.Pair) (string, error) { return c.fill(p) }
