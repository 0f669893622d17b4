// Package offline is a policy of hand-written rules that stands where a language model would, so that airqa can be tried
// on a machine without a key, a network or a model file. It is no language model: it knows English stop words, the
// forms of questions and answers, and how to count words. Its scores say nothing of any model.
//
// Start from [New]. A [Model] reads the prompt that a model would get and nothing else: package task makes the question
// and what was seen of it. For the loop it proposes searches, statements and views by fixed rules (plan.go) and answers
// from what came back (answer.go), by the places that package evidence finds; for the prompts that ask once it answers
// from the given context, or guesses. It cannot read pictures.
package offline
