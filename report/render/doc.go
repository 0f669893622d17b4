// Package render prints reports, comparisons of runs and statistics of question files. Each fills one [Document], which
// [Write] prints in any of [Formats]: text for a terminal, Markdown, CSV, LaTeX, JSON, and a page of HTML with charts. It
// computes no scores: start from [Report], [Comparison] or [Statistics], whose numbers come from packages report,
// report/compare and report/questions.
package render
