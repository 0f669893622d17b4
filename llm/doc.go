// Package llm asks chat models.
//
// [Open] turns a [Config] into a [qa.Model]: an [Endpoint] with retries for the built-in providers, or [Scripted],
// which replays a list of replies; Config.Providers adds others. Endpoints go through langchaingo's llms.Model, which
// our own codecs implement for the two protocols of OpenAI and those of Anthropic and Ollama.
//
// Settings of [qa.Sampling] are sent unless [airqa/llm/catalog] lists them as rejected by the model; unset ones are
// absent from the request. [Describe] returns both for the record of a run.
//
// A reply lists the requests it took, and so does an error, as a [qa.CallError]; [Classify] returns the class of any
// error. Requests to one endpoint and model share an adaptive limit, see [Pool]. No error contains a key, and only the
// host of the configured base URL is contacted.
//
// The package keeps no conversation state and computes no costs.
package llm
