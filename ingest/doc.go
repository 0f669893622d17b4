// Package ingest converts PDF files to rows. It reads a paper, finds its parts, and writes them to a [Store], one
// transaction per paper. Start from [Find], [Reader] and [Run].
//
// ingest/layout lays out pages, ingest/floats finds figures and tables, and ingest/structure finds
// sections, equations and references. This package connects them to env/pdf, adds chunks, ids and metadata, and
// processes many papers. It uses no database and embeds no text.
package ingest
