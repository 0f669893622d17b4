// Package cache keeps what models answered, so that the same request is not paid for twice. A [Model] stands before
// another model and asks it only what its [Store] does not have. Two requests are the same when endpoint, model, sampling,
// protocol, tools, messages and the repeat index are: repeats of a question are different requests, the same prompt of two
// questions is one.
//
// A store is a folder that several programs may use at a time; docs/formats/cache.md tells what is in it. Failures are
// never kept.
package cache
