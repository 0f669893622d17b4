// Package cache stores model replies so that no request is paid for twice. A [Model] wraps another model and asks it
// only what its [Store] does not have. Two requests are the same if endpoint, model, sampling, protocol, tools,
// messages and repeat index are the same: repeats of a question are different requests, but two questions with the same
// prompt are not.
//
// A store is a folder that several processes may use concurrently; docs/formats/cache.md describes its contents.
// Failures are not stored.
package cache
