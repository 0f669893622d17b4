// Package openaitest serves the OpenAI chat-completions protocol on the loopback for tests, and at their paths Anthropic's
// messages and Ollama's chat.
//
// Start with [New]: it gives a [Server] whose replies come from a function or from [Script], which keeps every
// [Request] that it got, and which misbehaves on demand with [Server.Fail]. It checks nothing about sampling and does not
// stream: a test that cares for the exact request reads [Request.Body].
package openaitest
