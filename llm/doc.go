// Package llm asks chat models.
//
// [Open] turns a [Config] into a [Model]: an [Endpoint] of the providers openai (any server with the chat-completions
// protocol), anthropic, google and ollama, or [Scripted], which answers from a list; Config.Providers adds others. A
// [ToolModel] can be offered tools. What is set in [Sampling] is sent, but for what [airqa/llm/catalog] says that a model
// refuses; what is not set is absent from the request; [Describe] tells both for the record of a run.
//
// A reply carries the list of requests that it took. An error carries it too, as a [CallError]; [Class] names the kind of
// any error. Requests to one endpoint and model share a limit that adapts to its refusals, see [Pool]. Keys appear in no
// error, and only the host of the configured base URL is contacted.
//
// The package keeps no conversation and counts no money.
package llm
