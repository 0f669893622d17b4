// Package stream scores many answers on all cores, in order. Start from [Files] for files of predictions and golds, or
// from [Score] for answers from another source, such as a run directory.
//
// Each question's evaluator is parsed once and kept; answers are not kept. Objective answers are scored on
// [Config.Workers] processors; answers that need a judge wait for it, at most [Config.Judges] concurrently. The package
// writes and prints nothing.
package stream
