// Package windows turns recorded episodes into training rows: one row per turn of the model, with exactly the messages
// that the model saw before it. [Open] reads what a run directory says about its prompts; [Run.Rows] makes the rows of
// one episode and lists the turns that cannot be trained.
//
// The package selects no episodes and writes no files. It reads the run directory and knows no agent.
package windows
