// Package questions computes statistics of question files. [Collect] and [Tables] reproduce the paper's Table 2 and
// Figures 2, 5 and 6 for any file, and [Lint] finds questions that cannot be scored as written. Start from [Read]. It
// runs nothing, calls no model and prints nothing (package render does).
package questions
