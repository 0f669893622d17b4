package export

import (
	"slices"

	"airqa/internal/lazyregexp"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train"
	"airqa/train/format"
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
	// Draw is the number of episodes for training, drawn with the seed of the split from those that have rows; a larger number
	// has the same ones and more. 0 takes all.
	Draw int
	// Program and AsInPaper are recorded in the lock file; the latter is nil unless the rules were to be as in the paper.
	Program   string
	AsInPaper *qa.AsInPaper
	Rules
	// Redact removes the secrets that are known; nil removes none.
	Redact func([]byte) []byte
	Notify terminal.Notify
	// Progress shows the progress; nil shows nothing.
	Progress *terminal.Progress

	redactor train.Redactor
}

// Rules decide which rows an export has and what they look like, as flags of a command line. The same runs and rules give
// the same bytes. The zero value puts everything into train, and drops near duplicates and leaks.
type Rules struct {
	train.RowOptions
	train.Filter
	IDs string `name:"ids" placeholder:"FILE" help:"Only these rows, episodes or questions, one id per line, such as ids.txt of an export."`
	runlog.Choice
	// Episodes are sizes of exports, of which [Config.Draw] is one.
	Episodes []int `placeholder:"N" help:"Numbers of episodes for training, such as 1000,2000,4000. Each is drawn with --split-seed into a folder of that name in --out, and contains the smaller ones; validation and test are the same in all."`
	train.SplitOptions

	Repeated     Duplicates `name:"duplicates" default:"near" enum:"near,exact,keep" help:"Duplicates to drop: near (identical rows and near-duplicate questions), exact (identical rows) or keep (none)."`
	Against      []string   `placeholder:"DIR" help:"Also drop near-duplicates of questions in this earlier export."`
	Leaks        string     `placeholder:"FILE" help:"Check for leaks of this question file: 13 words in a row of a question or gold answer, or the same short answer from the same paper."`
	Leak         LeakAction `default:"drop" enum:"drop,report,fail" help:"What to do with a leaked question: drop, report or fail."`
	RedactEmails bool       `help:"Also redact e-mail addresses outside of paper text."`

	Whole   bool   `name:"whole-episodes" help:"One row per episode with its whole history, and a weight for each message: 1 for the turns to train (sharegpt, openai, trl)."`
	Columns bool   `help:"Add the columns score, pass_rate, turns, tokens and repeat to the rows of sharegpt, trl, dpo and kto. A missing score is -1."`
	License string `placeholder:"NAME" help:"Licence for the dataset card, such as cc-by-4.0."`
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
	if c.Format == DPO && (c.Errors == train.KeepErrors || c.Draw > 0) {
		return qa.Usagef("preference pairs are made of two episodes: --errors keep and --episodes are for the other formats")
	}
	_, err := train.Shares(c.Split)
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
