// Package render prints reports, comparisons of runs and statistics of question files. Each becomes a [Document], which
// [Write] prints in one of [Formats]: text for a terminal, Markdown, CSV, LaTeX, JSON, or an HTML page with charts.
// Start from [Report], [Comparison] or [Statistics]. It computes no scores: the numbers come from packages report,
// report/compare and report/questions.
package render
