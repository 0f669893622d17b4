// Package openaitest serves the OpenAI chat-completions protocol on the loopback for tests, and Anthropic's messages
// and Ollama's chat at their paths.
//
// Start with [New]: its [Server] replies from a function or a [Script], records every [Request], and misbehaves on
// demand with [Server.Fail]. It checks no sampling and does not stream: a test of the exact request reads
// [Request.Body].
package openaitest
