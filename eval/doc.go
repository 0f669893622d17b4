// Package eval scores answers with the 19 evaluation functions of the AirQA paper (Table 8). Start from [New]
// and [Scorer.Score]: the function that an example names is applied to an answer, and the [Result] says right,
// wrong, unparseable or unscored. [Check] finds the faults of an example's evaluator before anything runs,
// [Lint] also the golds that do not pass. [Scorer.Explain] says how a score came about.
//
// In the mode [Reference] the functions do what the authors' Python code does, quirks included, so that scores can be
// compared with published ones; [Fixed] mends the quirks, in the files fixed_*.go (docs/scoring.md lists them). To add a function, write one file and add one line to the list in functions.go. Functions that
// need judgement ask a [Judge]; package eval/judge has them. The package reads no file and calls no endpoint.
package eval
