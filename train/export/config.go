package export

import (
	"slices"

	"airqa/internal/lazyregexp"
	"airqa/internal/progress"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train/curate"
	"airqa/train/format"
	"airqa/train/redact"
	"airqa/train/windows"
)

// Config describes an export.
type Config struct {
	// Runs are run directories, without folders of them.
	Runs   []string
	Format Format
	// Out is the folder to write.
	Out string
	// Force replaces a folder that holds another export.
	Force bool
	// Program is recorded in the lock file.
	Program string
	Rules
	// Redact removes the secrets that are known; nil removes none.
	Redact func([]byte) []byte
	Notify progress.Notify
	// Progress shows the progress; nil shows nothing.
	Progress *progress.Reporter

	redactor redact.Redactor
}

// Rules decide which rows an export has and what they look like. The same runs and rules give the same bytes.
type Rules struct {
	windows.Options
	curate.Filter
	// Scoring and Judge select scores as in [runlog.FindScores]; empty means any.
	Scoring, Judge string
	// IDs is a file of ids to export; empty exports all.
	IDs string
	// Split are the shares of train, validation and test; empty puts everything into train. Seed shuffles.
	Split []float64
	Seed  uint64
	// Repeated is what happens to duplicates, Against are earlier exports whose questions count as well.
	Repeated Duplicates
	Against  []string
	// Leaks is a question file that must not be in the export, Leak what happens to a question that is.
	Leaks string
	Leak  LeakAction
	// Episodes is the number of episodes for training, drawn with Seed from those that have rows; a larger number has the
	// same ones and more. 0 takes all.
	Episodes int
	// Columns adds the score, pass rate, turns, tokens and repeat of the episode to the rows.
	Columns bool
	// Whole makes one row of each episode, with its whole history, instead of one of each turn.
	Whole bool
	// RedactEmails redacts e-mail addresses outside of paper text as well.
	RedactEmails bool
	// License is that of the data set, for the card; empty is unknown.
	License string
	Limit
}

// Duplicates is what happens to repeated questions and rows.
type Duplicates string

// The choices.
const (
	DropNear  Duplicates = "near"  // drop near and exact duplicates
	DropExact Duplicates = "exact" // drop exact duplicates
	KeepAll   Duplicates = "keep"
)

// LeakAction is what happens to questions with a counterpart in a benchmark.
type LeakAction string

// The actions.
const (
	LeakDrop   LeakAction = "drop"
	LeakReport LeakAction = "report"
	LeakFail   LeakAction = "fail"
)

// splitNames are the splits in the order of their shares.
var splitNames = []Split{Train, Validation, Test}

// check returns an error for rules that no export can follow.
func (c Config) check() error {
	if !slices.Contains(Formats(), c.Format) {
		return qa.Usagef("unknown format %q", c.Format)
	}
	if c.Whole && !slices.Contains([]Format{ShareGPT, OpenAI, TRL}, c.Format) {
		return qa.Usagef("whole episodes are rows of sharegpt, openai and trl; %s has none", c.Format)
	}
	if !licenseID.MatchString(c.License) {
		return qa.Usagef("license %q: want a licence name such as cc-by-4.0", c.License)
	}
	if c.Format == DPO && (c.KeepErrors || c.Episodes > 0) {
		return qa.Usagef("preference pairs are made of two episodes: --errors keep and --episodes are for the other formats")
	}
	_, err := curate.Shares(c.Split)
	return err
}

// licenseID matches the names of licences as the Hub has them, and none.
var licenseID = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9.+-]*$|^$`)

// Format is the file format of an export: one of package format, or [Parquet].
type Format = format.Format

// The formats.
const (
	ShareGPT = format.ShareGPT
	OpenAI   = format.OpenAI
	TRL      = format.TRL
	DPO      = format.DPO
	KTO      = format.KTO
	ATIF     = format.ATIF
	// Parquet are tables for analysis.
	Parquet Format = "parquet"
)

// Formats lists the formats, the default first.
func Formats() []Format { return []Format{ShareGPT, OpenAI, TRL, DPO, KTO, ATIF, Parquet} }

// Split is a part of an export.
type Split string

// The splits. Test is empty unless asked for.
const (
	Train      Split = "train"
	Validation Split = "validation"
	Test       Split = "test"
)

// Episode is an episode that was read.
type Episode struct {
	Run      *windows.Run
	Recorded runlog.Recorded
	Example  qa.Example
	// Score is nil if the answer was never scored.
	Score *qa.Score
}
