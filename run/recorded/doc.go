// Package recorded repeats the episodes of a run from its recorded replies, without a model. A [Source] is a model that returns the recorded replies, and
// a [Solver] around a baseline's reproduces the log except for times: the tools run again, while external events
// (replies, failed requests, interruptions) come from the recording.
//
// If prompts, tools or data have changed the conversation, the episode ends with a [*Difference]; a loose source
// continues with the reply of the same step.
package recorded
