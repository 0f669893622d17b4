// Package batchtest serves the batch APIs of OpenAI (files, batches) and Anthropic (message batches) on the loopback for
// tests.
//
// Start with [New]: its [Server] runs each accepted request at a chat server of openaitest, moves a batch through its
// states by one per poll, and counts how often each request was accepted. [Config.End] decides how a batch ends;
// [Server.Fail] and [Server.Lose] make calls fail before and after they take effect.
package batchtest
