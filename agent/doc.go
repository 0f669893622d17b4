// Package agent is the ReAct loop: turns, window, limits, outcome. Read [ReAct] first; it runs on an [Episode],
// which keeps the messages, asks the [Model], acts in the [Environment] and writes every step to the [Log] before
// the next one begins. An episode that the log holds in part is taken up where it stopped: what was recorded is
// used again and neither asked nor paid for twice.
//
// The loop knows no tool, no database and no vendor. Baselines that ask a model only once or twice use an
// [Episode] without the loop.
package agent
