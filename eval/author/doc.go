// Package author helps people write questions that can be scored. A [Draft] is a question with its answer and the [Kind] of the
// answer; [Draft.Write] chooses the evaluation function, its arguments, the answer format and the tags. [Preview] scores variants
// of the gold answer through the real evaluator. [Convert] drafts the records of a file in another form, and [Interview] asks for
// a draft on a terminal. The package calls no model.
package author
