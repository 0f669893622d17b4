// Package catalog lists models with their prices, limits and restrictions.
//
// [Builtin] is the list that ships with the program, [Open] adds a user's file to it, and [Catalog.Find] looks a model
// up by its spec. Missing data is unknown: a nil price, a limit of 0. The package calls no endpoint.
package catalog
