// Package llm asks chat models.
//
// [Open] turns a [Config] into a [Model]: [OpenAI] talks to any endpoint with the chat-completions protocol, [Scripted]
// answers from a list, and Config.Providers adds others. Every setting in [Sampling] is really sent and a setting that is
// not set is absent from the request; [Describe] gives the same values for the record of a run.
//
// A reply carries the list of requests that it took. An error carries it too, as a [CallError]; [Class] names the kind of
// any error. Keys appear in no error, and only the host of the configured base URL is contacted.
//
// The package keeps no conversation, counts no money and limits no rate.
package llm
