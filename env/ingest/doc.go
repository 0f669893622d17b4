// Package ingest turns PDF files into rows: it reads a paper, finds its parts, and writes everything to a [Store] as one
// transaction a paper. Start from [Find], [Reader] and [Run].
//
// Laying out pages is env/ingest/layout, finding figures and tables env/ingest/floats, finding sections, equations and
// references env/ingest/structure; this package joins them to env/pdf, adds chunks, ids and the metadata beside the
// file, and drives many papers. It knows no database and embeds nothing.
package ingest
