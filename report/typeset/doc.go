// Package typeset prints the tables of package report: [Write] in one of [Formats], which are text for a terminal,
// Markdown, CSV, LaTeX, JSON, and a page of HTML with charts. It makes no number: what it prints is in the rows and tables
// that it is given.
package typeset
