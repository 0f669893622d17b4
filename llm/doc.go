// Package llm asks chat models.
//
// [Open] turns a [Config] into a [qa.Model]: an [Endpoint] with retries around it for the built-in providers, or [Scripted],
// which answers from a list; Config.Providers adds others. Endpoints ask through langchaingo's llms.Model, which codecs of our
// own implement for the protocols of OpenAI, Anthropic and Ollama; [Adapt] takes any other llms.Model.
//
// What is set in [qa.Sampling] is sent, except for what [airqa/llm/catalog] lists as refused by the model; what is not set is
// absent from the request. [Describe] returns both for the record of a run.
//
// A reply lists the requests that it took. So does an error, as a [qa.CallError]; [Classify] returns the class of any error.
// Requests to one endpoint and model share a limit that adapts to its refusals, see [Pool]. Keys appear in no error, and only
// the host of the configured base URL is contacted.
//
// The package keeps no conversation and counts no money.
package llm
