// Package replay shows the replies that a run recorded once more: no model is asked. A [Source] is the model, and a [Solver]
// around a baseline's makes the log say the same again, but for times: the tools act anew, and what came from
// outside (replies, requests that failed, stops) is taken from the recorded log in its place.
//
// Where the conversation has become another one, because prompts, tools or data have changed, the episode ends with a
// [*Difference]; a loose source lets it go on with the reply of the same step.
package replay
