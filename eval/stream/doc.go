// Package stream scores many answers on all cores, in order. Start from [Files] for a file of predictions with a file of
// golds, or from [Score] for answers from anywhere else, such as a run directory.
//
// Evaluators are read once for each question and all of them are kept; answers are not. Answers that a function decides
// are scored on [Config.Workers] processors; those that need a judge wait for it, at most [Config.Judges] at once. The
// package writes nothing and prints nothing.
package stream
