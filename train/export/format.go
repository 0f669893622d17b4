package export

import (
	"iter"

	"airqa/qa"
	"airqa/runlog"
	"airqa/train/format"
	"airqa/train/windows"
)

// Format is the file format of an export: one of package format, or [Parquet].
type Format = format.Format

// The formats.
const (
	ShareGPT = format.ShareGPT
	OpenAI   = format.OpenAI
	TRL      = format.TRL
	DPO      = format.DPO
	ATIF     = format.ATIF
	// Parquet are tables for analysis.
	Parquet Format = "parquet"
)

// Formats lists the formats, the default first.
func Formats() []Format { return []Format{ShareGPT, OpenAI, TRL, DPO, ATIF, Parquet} }

// Split is a part of an export.
type Split string

// The splits. Test is empty unless asked for.
const (
	Train      Split = "train"
	Validation Split = "validation"
	Test       Split = "test"
)

// Episode is an episode of an export with its selected rows, in the order of turns.
type Episode struct {
	Run      *windows.Run
	Recorded runlog.Recorded
	Example  qa.Example
	// Score is nil if the answer was never scored.
	Score *qa.Score
	Split Split
	Rows  []windows.Row
}

// Episodes is the source of all writers: the episodes with at least one selected row, in the order of runs and logs. It
// can be ranged over several times and yields the same episodes each time.
type Episodes = iter.Seq2[*Episode, error]
