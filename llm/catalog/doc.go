// Package catalog knows models: what they cost, how much they read and write, and what they refuse.
//
// [Builtin] is the list that ships with the program, [Open] adds a user's file to it, and [Catalog.Find] looks a model up by
// its spec. What a list does not say is unknown: a nil price, a limit of 0. The package asks no endpoint.
package catalog
