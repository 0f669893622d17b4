// Package batch sends requests through the batch APIs of OpenAI (files and batches) and Anthropic (message batches),
// which reply within a day at half the price.
//
// A [Queue] sends the requests of one model: [Queue.Submit], [Queue.Wait], then [Queue.Results]. [Fill] does all three
// and keeps the replies in a cache, so that the calls that follow are cache hits; [Rest] is the model behind that cache.
//
// A [Ledger] records every step on disk before the next one, so that a program killed at any moment sends no request
// twice: a job is announced before it is sent, and a later start looks for an announced job at the endpoint before it
// sends one. A request is sent again only after [Queue.Release]. docs/formats/batches.md describes the file.
//
// The package encodes nothing itself: requests and replies are those of package llm.
package batch
