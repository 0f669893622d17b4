// Package export writes training data from run directories: folders that a trainer loads, with the ids of all rows, the
// reasons for all rows left out, provenance, a card and a lock file, and tables of runs for analysis in Parquet. Start from [Write] and [Config].
package export
