// Package render prints a [Document] in one of [Formats]: text for a terminal, Markdown, CSV, LaTeX, JSON, or an HTML page
// with charts. Start from [Document.Write]. It computes no numbers. It has the documents of [Report], of the agreement of
// judges and of the explanation of a score; others are made in the packages that have their numbers.
package render
