// Package enrich completes what is known of papers with a chat model: a short version and keywords of each paper, and
// summaries of its pages, sections, figures and tables. Start from [New], [Enricher.Ask] and [Enricher.Apply].
//
// Asking only reads the papers and writes every reply to a [Journal] at once, so that a run that is killed pays for nothing
// twice; applying brings the replies of the journal into the database, a paper a transaction. The package knows no
// endpoint and no database: they are a [qa.Model], a [Library] and a [Store].
package enrich
