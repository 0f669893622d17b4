// Package episodes lists recorded episodes and reads single ones, for `airqa trace`, the terminal browser and the web
// viewer. Start from [Open]; [Library.Rows] is the list, [Filter] selects from it, [Library.Episode] reads one episode.
//
// It reads run directories and nothing else. Rows of long logs are kept beside the log (rows.idx), so that a list of
// many episodes opens without decoding them again.
package episodes
