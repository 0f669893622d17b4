// Package openaitest serves the OpenAI chat-completions protocol on the loopback for tests, and Anthropic's messages,
// Ollama's chat and OpenAI's Responses API at their paths. The last one refuses requests that OpenAI would refuse.
//
// Start with [New]: its [Server] replies from a function or a [Script], records every [Request], and misbehaves on
// demand with [Server.Fail]. It checks no sampling, and streams only responses: a test of the exact request reads
// [Request.Body].
package openaitest
