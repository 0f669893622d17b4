package train

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"airqa/eval"
	"airqa/internal/files"
	"airqa/qa"
)

// Episode is a recorded episode as far as its selection depends on it.
type Episode struct {
	qa.Trajectory
	// Example is the question.
	Example qa.Example
	// Repeats has the model as on the command line, "provider:name".
	Repeats Repeats
	// Score is nil if the answer was never scored.
	Score *qa.Score
}

// Class returns the reason why an episode is not scored and right, or "" for one that is.
func (e Episode) Class() Reason {
	switch {
	case e.Outcome == "":
		return Unfinished
	case e.Outcome.Failed():
		return GenerationFailed
	case e.Score == nil, e.Score.Verdict == qa.Unscored && eval.NeverScored(e.Score.Reason):
		return Unscored
	case e.Score.Verdict == qa.Unscored:
		return ScoringFailed
	case e.Score.Verdict != qa.Right:
		return Wrong
	}
	return ""
}

// Tokens sums the prompts and replies of the episode, cached ones included.
func (e Episode) Tokens() int {
	n := 0
	for _, s := range e.Steps {
		if s.Reply != nil {
			n += s.Reply.Usage.Prompt + s.Reply.Usage.Completion
		}
	}
	return n
}

// Repetition returns the share of the model's actions that repeat an earlier action of the episode, from 0 to 1.
func (e Episode) Repetition() float64 {
	seen := make(map[string]bool)
	actions, repeated := 0, 0
	for _, s := range e.Steps {
		if s.By != qa.ByModel || s.Action == nil {
			continue
		}
		actions++
		if seen[s.Action.Text] {
			repeated++
		}
		seen[s.Action.Text] = true
	}
	if actions == 0 {
		return 0
	}
	return float64(repeated) / float64(actions)
}

// Filter selects episodes, as flags of a command line: the zero value selects those that are scored and right, and zero
// numbers, nil pointers and empty lists do not limit.
type Filter struct {
	Include        []string `placeholder:"CLASS" help:"Also export episodes of this class: wrong, unscored, scoring_failed or generation_failed. Default: only episodes scored as right."`
	MinScore       *float64 `placeholder:"S" help:"Minimum score, from 0 to 1."`
	MaxScore       *float64 `placeholder:"S" help:"Maximum score, from 0 to 1."`
	Outcome        []string `placeholder:"OUTCOME" help:"Only episodes with this outcome, such as answered or turn_limit."`
	OfModel        []string `placeholder:"MODEL" help:"Only episodes of these models, as PROVIDER:NAME or NAME."`
	OfBaseline     []string `placeholder:"NAME" help:"Only episodes of these baselines."`
	Tag            []string `placeholder:"TAG" help:"Only questions with all of these tags; !TAG excludes a tag."`
	MinTurns       int      `placeholder:"N" help:"Minimum turns of an episode."`
	MaxTurns       int      `placeholder:"N" help:"Maximum turns of an episode."`
	MinTokens      int      `placeholder:"N" help:"Minimum tokens of an episode, prompts and replies."`
	MaxTokens      int      `placeholder:"N" help:"Maximum tokens of an episode, prompts and replies."`
	MaxRepetition  *float64 `placeholder:"SHARE" help:"Maximum share of actions that repeat an earlier action of the episode, from 0 to 1."`
	PassRate       string   `placeholder:"LO-HI" help:"Only questions with a pass rate in this range, such as 0.2-0.8: the share of right answers among their scored repeats by the same baseline and model."`
	BestOf         int      `placeholder:"N" help:"Of the repeats of a question by the same baseline and model, only the N best right episodes: the highest score, then the fewest turns, then the fewest tokens."`
	MaxPerQuestion int      `placeholder:"N" help:"Maximum episodes of one question; the first ones are kept."`
	MaxPerPaper    int      `placeholder:"N" help:"Maximum episodes of one paper; the first ones are kept."`
}

// Selector selects episodes one by one: Check first, then Admit for those that nothing else leaves out.
type Selector struct {
	filter    Filter
	rates     *rateRange
	questions map[string]int
	papers    map[string]int
}

// NewSelector makes a selector. The error names an invalid field.
func NewSelector(f Filter) (*Selector, error) {
	includable := []string{string(Wrong), string(Unscored), string(ScoringFailed), string(GenerationFailed)}
	for _, class := range f.Include {
		if !slices.Contains(includable, class) {
			return nil, qa.Usagef("class %q of episodes: want %s", class, strings.Join(includable, ", "))
		}
	}
	for name, share := range map[string]*float64{
		"minimum score": f.MinScore, "maximum score": f.MaxScore,
		"maximum repetition": f.MaxRepetition,
	} {
		if share != nil && !(*share >= 0 && *share <= 1) {
			return nil, qa.Usagef("%s %v: want a number from 0 to 1", name, *share)
		}
	}
	if f.BestOf < 0 {
		return nil, qa.Usagef("%d best episodes of a question: want 1 or more", f.BestOf)
	}
	rates, err := parseRange(f.PassRate)
	return &Selector{f, rates, make(map[string]int), make(map[string]int)}, err
}

// Check returns the first reason against an episode and its detail, or "" for a selected one.
func (s *Selector) Check(e Episode) (reason Reason, detail string) {
	f := s.filter
	if class := e.Class(); class != "" && !slices.Contains(f.Include, string(class)) {
		return class, e.classDetail()
	}
	_, bare, _ := strings.Cut(e.Repeats.Model, ":")
	for _, c := range []struct {
		bad    bool
		reason Reason
		detail any
	}{
		{e.Score != nil && !within(e.Score.Value, f.MinScore, f.MaxScore), ByScore, value(e.Score)},
		{!listed(string(e.Outcome), f.Outcome), ByOutcome, e.Outcome},
		{!listed(e.Repeats.Model, f.OfModel) && !listed(bare, f.OfModel), ByModel, e.Repeats.Model},
		{!listed(e.Repeats.Baseline, f.OfBaseline), ByBaseline, e.Repeats.Baseline},
		{!e.Example.HasTags(f.Tag...), ByTag, strings.Join(e.Example.Tags, " ")},
		{!between(e.Turns(), f.MinTurns, f.MaxTurns), ByTurns, e.Turns()},
		{!between(e.Tokens(), f.MinTokens, f.MaxTokens), ByTokens, e.Tokens()},
		{!within(e.Repetition(), nil, f.MaxRepetition), ByRepetition, e.Repetition()},
	} {
		if c.bad {
			return c.reason, fmt.Sprint(c.detail)
		}
	}
	return "", ""
}

// Admit counts an episode of a question, unless the question or one of its papers has the maximum number already.
func (s *Selector) Admit(ex qa.Example) (reason Reason, detail string) {
	if n := s.filter.MaxPerQuestion; n > 0 && s.questions[ex.UUID] >= n {
		return PerQuestion, ex.UUID
	}
	for _, paper := range ex.Papers() {
		if n := s.filter.MaxPerPaper; n > 0 && s.papers[paper] >= n {
			return PerPaper, paper
		}
	}
	s.questions[ex.UUID]++
	for _, paper := range ex.Papers() {
		s.papers[paper]++
	}
	return "", ""
}

func (e Episode) classDetail() string {
	switch {
	case e.Outcome.Failed():
		return string(e.Outcome)
	case e.Outcome != "" && e.Score != nil:
		return strings.TrimSpace(string(e.Score.Verdict) + " " + e.Score.Reason)
	}
	return ""
}

func value(s *qa.Score) float64 {
	if s == nil {
		return 0
	}
	return s.Value
}

func within(v float64, low, high *float64) bool {
	return (low == nil || v >= *low) && (high == nil || v <= *high)
}

func between(n, low, high int) bool { return n >= low && (high == 0 || n <= high) }

func listed(name string, list []string) bool { return len(list) == 0 || slices.Contains(list, name) }

// IDs is a list of rows to export, such as ids.txt of an earlier export. A nil list has every row.
type IDs struct{ used map[string]bool }

// ReadIDs reads one id per line and ignores blank lines. An id names a row, an episode ("uuid#repeat") or a question.
func ReadIDs(r io.Reader) (*IDs, error) {
	ids := &IDs{make(map[string]bool)}
	lines := bufio.NewScanner(files.TextReader(r))
	for lines.Scan() {
		if id := strings.TrimSpace(lines.Text()); id != "" {
			ids.used[id] = false
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read ids: %w", err)
	}
	return ids, nil
}

// Has reports whether any of the names of a row is in the list.
func (ids *IDs) Has(names ...string) bool {
	if ids == nil {
		return true
	}
	found := false
	for _, name := range names {
		if _, listed := ids.used[name]; listed {
			ids.used[name], found = true, true
		}
	}
	return found
}

// Missing returns the ids that no call of Has named, sorted.
func (ids *IDs) Missing() []string {
	var missing []string
	for _, id := range slices.Sorted(maps.Keys(ids.used)) {
		if !ids.used[id] {
			missing = append(missing, id)
		}
	}
	return missing
}
