// Package review lets a person check synthesized questions. [Rows] reads the accepted rows of a synthesis, [Sample] draws
// some of them from every category, and [Page] writes one HTML file with each question beside its evidence and the image
// of the place in the paper. The page makes a file of [Entry] lines; [WriteForm] writes the same file for a text editor.
// [Summarize] counts what reviewers decided.
package review
