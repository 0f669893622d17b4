// Package batch scores many answers on all cores, in order and without holding them all. Start from [Files] for a file
// of predictions with a file of golds, or from [Score] for answers from anywhere else, such as a run directory.
//
// Evaluators are read once for each gold. Answers that a function decides are scored on [Config.Workers] processors;
// those that need a judge wait for it, at most [Config.Judges] at once. What is read but not yet delivered is bounded,
// except for what cannot be delivered in order: predictions whose golds come much later in the other file, and results
// behind a question that has no answer yet. The package writes nothing and prints nothing.
package batch
