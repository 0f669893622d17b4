// Package sources finds, lists and downloads papers that a data directory does not have yet. Start from
//
//   - [Parse], [ParseList] and [Fetcher]: download papers by URL, arXiv id or DOI into a folder;
//   - [OpenCatalog] and [MakePlan]: which papers questions name or search, by their metadata files (AirQA paper, Appendix A.2),
//     and which of them have to be downloaded;
//   - [OpenRecords]: the metadata file of a PDF, by the paper's UUID or title;
//   - [Import] and [OpenPDFs]: copy the papers of a released AirQA database, with their PDFs.
//
// It parses no PDF, and builds no vectors.
package sources
