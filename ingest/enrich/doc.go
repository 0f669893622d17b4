// Package enrich completes the data of papers with a chat model: a short version and keywords of each paper, and
// summaries of its pages, sections, figures and tables. Start from [New], [Enricher.Ask] and [Enricher.Apply].
//
// Ask only reads the papers. Its [Model] keeps every reply, so that a killed run pays for nothing twice. Apply copies the
// replies to the database, one transaction per paper. The database is an interface too: a [Library] and a [Store].
package enrich
