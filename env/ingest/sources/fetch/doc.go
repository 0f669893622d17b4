// Package fetch downloads papers: addresses of PDFs and arXiv ids become files in a folder, which ingestion then reads
// like any others. Start from [Parse], [ParseList] and [Fetcher].
//
// It is polite (one request at a time, a pause between two to one host), it goes on where a download broke off, and it
// trusts no server: sizes are capped, what is no PDF is refused, and a redirect cannot lead into the local network. It
// reads no PDF and knows no database.
package fetch
