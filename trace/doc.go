// Package trace is the view of recorded episodes, for `airqa trace`, the terminal browser and the web viewer: the list of
// episodes of some runs, single ones with their marks, what people wrote about them, and the parts of a tool's result. Start
// from [Open]; [Library.Rows] is the list, [Filter] selects from it, [Library.Episode] reads one episode. [OpenNotes] opens
// the comments and decisions of a run, and [ReadResult] takes a result apart.
//
// It reads run directories and writes nothing but notes, and a cache of rows beside long logs (rows.idx), so that a list of
// many episodes opens without decoding them again. It lays nothing out and makes no text safe to print: package
// trace/text and the viewers do.
package trace
