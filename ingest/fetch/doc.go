// Package fetch downloads papers by URL or arXiv id into a folder for ingestion. Start from [Parse], [ParseList], [Named]
// and [Fetcher].
//
// It sends one request at a time to each host, with a delay, and asks several hosts at once. It resumes interrupted
// downloads, and does not trust servers: it limits sizes, refuses files other than PDFs, and does not follow redirects
// into the local network. It reads no PDF and uses no database.
package fetch
