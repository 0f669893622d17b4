// Package table reads JSON and JSON Lines files as the library "datasets" 4.0.0 does, which LLaMA-Factory reads its data
// with: one type per column, inferred from blocks of 10 MB, so that a file of valid JSON may still not load. Start from
// [Open]: it checks the whole file, then [File.Raw] streams the rows and [File.Parse] reads one with the types of the file.
package table
