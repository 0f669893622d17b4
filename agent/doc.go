// Package agent is the ReAct loop: turns, window, limits, outcome. Read [Loop] first. It runs on an [Episode], which
// keeps the messages, asks the [Model], acts in the [Environment], and writes every step to the [Log] before the next
// one begins. A partly logged episode resumes where it stopped: recorded replies and observations are reused, and
// nothing is requested or paid for twice.
//
// The loop depends on no tool, database or vendor. Baselines that ask a model only once or twice use an [Episode]
// without the loop.
package agent
