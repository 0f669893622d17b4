// Package eval scores answers with the 19 evaluation functions of the AirQA paper (Table 8). Start from [New] and
// [Scorer.Score]: it applies the function that an example names to an answer and returns a [qa.Score] (right, wrong,
// unparseable or unscored). [Check] finds the faults of an example's evaluator without scoring, [Lint] also finds golds
// that do not pass, and [Scorer.Explain] explains a score.
//
// In [Reference] mode the functions do what the authors' Python code does, quirks included, so that scores can be
// compared with published ones. [Fixed] corrects the quirks (docs/scoring.md lists them). One scorer serves both:
// the comparisons ask for the mode where the rules differ. A new function is an entry in functions.go. Subjective
// functions ask a [Judge]; package eval/judge has the implementations. The package reads no files and calls no
// endpoints.
package eval
