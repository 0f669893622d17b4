// Package curate decides what becomes training data. [Selector] picks episodes, [Duplicates] finds repeated questions and
// rows, [Splitter] divides questions so that no paper is on two sides, and [Leaks] compares questions with a
// benchmark.
//
// All are deterministic and see one item at a time: none of them keeps rows. The package reads no run directory and
// writes no file.
package curate
