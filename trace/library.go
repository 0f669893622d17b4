// Package trace is the view of recorded episodes, for `airqa trace` and the web viewer: the list of episodes of some runs,
// single ones with their marks, what people wrote about them, and the parts of a tool's result. Start from [Open];
// [Library.Rows] is the list, [Filter] selects from it, [Run.Episode] reads one episode. [OpenNotes] opens the comments
// and decisions of a run, and [ReadResult] takes a result apart.
//
// It reads run directories and writes nothing but notes, and a cache of rows beside long logs (rows.idx), so that a list of
// many episodes opens without decoding them again. It lays nothing out and makes no text safe to print: package
// trace/text and the viewer do.
package trace

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/runlog"
	"airqa/trace/cause"
)

// Choice selects a scoring of each run, see [runlog.FindScores]; empty means the newest.
type Choice struct {
	runlog.Choice
	lazy bool
}

// Library is some runs with the rows of their episodes, as of [Open] or the last [Library.Refresh]. Its methods may be
// called by several goroutines at once, but for Refresh.
type Library struct {
	Runs []*Run
	// Warn gets what a search could not read; nil drops it.
	Warn func(error)

	choice Choice
}

// Run is one run directory.
type Run struct {
	// Name is the directory as given, or below the folder that was given. It is unique in a library.
	Name string
	Log  *runlog.Run
	// Scoring is nil for a run that is not scored.
	Scoring *runlog.Scoring
	// Writing reports whether a process was writing to the run.
	Writing bool
	// Notices are the problems of the run: unreadable lines, damaged episodes.
	Notices []string
	// Rows are the episodes in the order of the log.
	Rows []Row

	scores map[string]*qa.Score
	// examples are the questions by uuid; nil for a long run whose rows were kept, see [Run.Example].
	examples map[string]qa.Example
	// repeats are the rows of each question, keys those of the rows' facts.
	repeats map[string][]*Row
	keys    []string
	stamp   stamp
}

// Episode is one episode with everything that is derived from it.
type Episode struct {
	Row
	// Traced is the trajectory with its messages, question and score.
	Traced Traced
	Loss   cause.Loss
	Why    cause.Cause
	Marks  []Mark
	// Damage is what could not be read; nil for a whole episode.
	Damage error
}

// OpenLazy is [Open] without the search for the causes of a long run, which takes longer than all else: its rows are
// pending until [Library.Explain] or [Library.Adopt].
func OpenLazy(ctx context.Context, paths []string, c Choice) (*Library, error) {
	c.lazy = true
	return Open(ctx, paths, c)
}

// Open reads run directories, or folders of them.
func Open(ctx context.Context, paths []string, c Choice) (*Library, error) {
	dirs, err := runlog.Find(paths)
	if err != nil {
		return nil, err
	}
	l := &Library{choice: c}
	for _, dir := range dirs {
		r := &Run{Name: filepath.Clean(dir)}
		if err := r.load(ctx, c); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		l.Runs = append(l.Runs, r)
	}
	return l, nil
}

// Refresh reads what was added to the runs since, and reports whether anything changed.
func (l *Library) Refresh(ctx context.Context) (changed bool, err error) {
	for _, r := range l.Runs {
		now, err := readStamp(r.Name)
		if err != nil {
			return changed, err
		}
		if now == r.stamp {
			continue
		}
		changed = true
		if err := r.load(ctx, l.choice); err != nil {
			return changed, fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	return changed, nil
}

// Explain finds the causes of the pending rows among some rows of the library, in place. If they are many, the file
// beside the log keeps them.
func (l *Library) Explain(ctx context.Context, rows []Row) error {
	for _, r := range l.Runs {
		n, err := r.explain(ctx, rows)
		if err != nil {
			return err
		}
		if rewriteShare*n <= len(r.Rows) {
			continue
		}
		all := slices.Clone(r.Rows)
		for _, w := range rows {
			if w.Run == r.Name {
				at, _ := r.Log.Index(w.Episode)
				all[at] = w
			}
		}
		r.writeCache(all)
	}
	return nil
}

// Pending counts the pending rows.
func (l *Library) Pending() (n int) {
	for _, r := range l.Runs {
		n += r.pending()
	}
	return n
}

func (r *Run) pending() (n int) {
	for i := range r.Rows {
		if r.Rows[i].Pending() {
			n++
		}
	}
	return n
}

// Copy returns the library as it is now. It stays as it is when the library changes.
func (l *Library) Copy() *Library {
	c := *l
	c.Runs = make([]*Run, len(l.Runs))
	for i, r := range l.Runs {
		run := *r
		run.Rows = slices.Clone(r.Rows)
		c.Runs[i] = &run
	}
	return &c
}

// Adopt takes the causes of pending rows from rows of a copy, as far as their episodes have not changed since. Like
// Refresh, it may not overlap with other calls.
func (l *Library) Adopt(c *Library, rows []Row) {
	for i := range rows {
		w := &rows[i]
		from, to := c.Run(w.Run), l.Run(w.Run)
		if from == nil || to == nil {
			continue
		}
		then, _ := from.Log.Index(w.Episode)
		now, ok := to.Log.Index(w.Episode)
		if ok && to.keys[now] == from.keys[then] && to.Rows[now].Pending() {
			to.Rows[now].Facts = w.Facts
		}
	}
}

// Rows returns the rows of all runs.
func (l *Library) Rows() []Row {
	if len(l.Runs) == 1 {
		return l.Runs[0].Rows
	}
	var rows []Row
	for _, r := range l.Runs {
		rows = append(rows, r.Rows...)
	}
	return rows
}

// Run returns a run by its name; nil if there is none.
func (l *Library) Run(name string) *Run {
	for _, r := range l.Runs {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// fewFound is the maximum number of episodes that an error lists.
const fewFound = 6

// Row returns the row of an episode; ok is false if the library does not have it.
func (l *Library) Row(k Key) (row Row, ok bool) {
	if r := l.Run(k.Run); r != nil {
		if i, found := r.Log.Index(k.Episode); found {
			return r.Rows[i], true
		}
	}
	return Row{}, false
}

// Named returns the episodes that an id means, or the beginning of one: a question's, or with the number of a repeat, as in
// "1e6bccdd#1". The id may have been pasted from elsewhere: in capitals or quotes, shortened with an ellipsis, behind the name
// of its run, or as the address of a page of the viewer.
func (l *Library) Named(id string) []Row {
	rows := l.Rows()
	if found := qa.NamedEpisodes(rows, func(w Row) string { return w.Episode }, id); len(found) > 0 && id != "" {
		return found
	}
	if address, err := url.Parse(id); err == nil && address.Host != "" {
		id = address.Path
	}
	id = strings.ToLower(id)
	parts := strings.FieldsFunc(id, func(r rune) bool {
		return !strings.ContainsRune("#-_.", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(parts) == 0 {
		return nil
	}
	last := parts[len(parts)-1]
	found := qa.NamedEpisodes(rows, func(w Row) string { return strings.ToLower(w.Episode) }, strings.TrimRight(last, ".-"))
	run := strings.TrimRight(id[:strings.LastIndex(id, last)], "/: \t\"'`")
	run = strings.TrimLeft(run[strings.LastIndexAny(run, "/ \t")+1:], "\"'`")
	in := slices.DeleteFunc(slices.Clone(found), func(w Row) bool { return strings.ToLower(filepath.Base(w.Run)) != run })
	if len(in) > 0 {
		return in
	}
	return found
}

// Find returns the only episode of [Library.Named], in all runs. Several repeats or runs of one question match several
// episodes; they are listed in the error.
func (l *Library) Find(prefix string) (Row, error) {
	found := l.Named(prefix)
	switch len(found) {
	case 0:
		return Row{}, fmt.Errorf("%w: no episode begins with %q; airqa trace RUN lists them", runlog.ErrNoEpisode, prefix)
	case 1:
		return found[0], nil
	}
	lines := []string{fmt.Sprintf("%d episodes begin with %q; give more of the name, or one run:", len(found), prefix)}
	for _, w := range found[:min(len(found), fewFound)] {
		lines = append(lines, w.Run+" "+w.Episode)
	}
	if more := len(found) - fewFound; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return Row{}, errors.New(strings.Join(lines, "\n  "))
}

// SameQuestion returns the episodes of a question, in all runs and repeats, beginning with the one after at and going around.
// The last is the one that at names, if it is there.
func (l *Library) SameQuestion(uuid string, at Key) []Row {
	var list []Row
	for _, w := range l.Rows() {
		if w.UUID == uuid {
			list = append(list, w)
		}
	}
	i := slices.IndexFunc(list, func(w Row) bool { return w.Key() == at })
	return slices.Concat(list[i+1:], list[:i+1])
}

// Episode reads one episode of the run. A damaged one comes with its readable part.
func (r *Run) Episode(ctx context.Context, episode string) (Episode, error) {
	uuid, repeat := qa.SplitEpisodeID(episode)
	rec, err := r.Log.Episode(uuid, repeat)
	if errors.Is(err, runlog.ErrNoEpisode) {
		return Episode{}, err
	}
	i, ok := r.Log.Index(episode)
	if !ok {
		return Episode{}, runlog.ErrNoEpisode
	}
	ex, readErr := r.Example(uuid)
	if readErr != nil {
		return Episode{}, readErr
	}
	score := r.scores[episode]
	e := Episode{Row: r.Rows[i], Traced: NewTraced(ex, rec, score), Marks: Marks(rec), Damage: err}
	e.Traced.Fork = r.Fork()
	if err == nil {
		e.Loss, e.Why = r.cause(ctx, new(cause.Finder), ex, rec)
		e.found(e.Loss, e.Why)
	}
	return e, nil
}

// cause finds where the evidence for an answer was lost and names the cause; its peers are the other repeats of the run.
func (r *Run) cause(ctx context.Context, f *cause.Finder, ex qa.Example, rec runlog.Recorded) (cause.Loss, cause.Cause) {
	score := r.scores[rec.Episode]
	loss := f.FindLoss(ex, rec, score, r.Log.Config)
	var peers []cause.Peer
	for _, w := range r.repeats[rec.UUID] {
		if w.Episode != rec.Episode && w.Verdict != "" && w.Outcome != "" && !w.Outcome.Failed() {
			peers = append(peers, cause.Peer{Answer: qa.Answer{Given: w.Given, Text: w.Answer}, Verdict: w.Verdict})
		}
	}
	return loss, f.Of(ctx, cause.Episode{Example: ex, Recorded: rec, Score: score, Loss: loss, Peers: peers})
}

// load reads the run again. Rows of episodes that have not changed are kept.
func (r *Run) load(ctx context.Context, c Choice) error {
	current := Run{Name: r.Name}
	var err error
	if current.stamp, err = readStamp(r.Name); err != nil {
		return err
	}
	if err := current.open(c); err != nil {
		return err
	}
	if err := current.list(ctx, r, c.lazy); err != nil {
		return err
	}
	*r = current
	return nil
}

// longRun is the number of episodes from which the questions of a run are not held in memory.
const longRun = 10_000

// Questions reads the questions in the order of the file.
func (r *Run) Questions() ([]qa.Example, error) {
	list, _, err := dataset.Load(r.questionsFile())
	return list, err
}

func (r *Run) questionsFile() string { return filepath.Join(r.Name, runlog.QuestionsFile) }

// Example returns the question with a uuid; an empty one if the file does not have it.
func (r *Run) Example(uuid string) (qa.Example, error) {
	if r.examples != nil {
		return r.examples[uuid], nil
	}
	ex, _, err := dataset.ByUUID(r.questionsFile(), uuid)
	return ex, err
}

// allExamples reads all questions into memory.
func (r *Run) allExamples() (map[string]qa.Example, error) {
	list, err := r.Questions()
	examples := make(map[string]qa.Example, len(list))
	for _, ex := range list {
		examples[ex.UUID] = ex
	}
	return examples, err
}

// open opens the log and reads the scores.
func (r *Run) open(c Choice) (err error) {
	if r.Log, err = runlog.Open(r.Name); err != nil {
		return err
	}
	if r.Writing, err = runlog.Writing(r.Name); err != nil {
		return err
	}
	for _, bad := range r.Log.BadLines {
		r.Notices = append(r.Notices, fmt.Sprintf("%v (left out)", bad))
	}
	scoring, list, err := runlog.FindScores(r.Name, c.Choice)
	if errors.Is(err, runlog.ErrNoScores) && c.Scoring+c.Judge == "" {
		return nil
	}
	if err != nil {
		return err
	}
	r.Scoring = &scoring
	r.scores = qa.ByEpisode(list)
	return nil
}

// Fork returns where the run was forked, with the path of its origin; nil for a run that is not a fork.
func (r *Run) Fork() *runlog.Fork {
	if r.Log.Config.Note.Fork == nil {
		return nil
	}
	fork := *r.Log.Config.Note.Fork
	fork.Run = filepath.Join(r.Name, filepath.FromSlash(fork.Run))
	return &fork
}

// Hit is a text found in an episode.
type Hit struct {
	Run string `json:"run"`
	runlog.Hit
}

// Grep searches a text in everything that the runs recorded; see [runlog.Run.Grep], also for errors that do not end it. An
// episode without a hit there may have one in what lists show of it; its field is "episode", "question" or "gold".
func (l *Library) Grep(ctx context.Context, text string) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		pattern := runlog.CompilePattern(text)
		for _, r := range l.Runs {
			has := make(map[string]bool)
			for hit, err := range r.Log.Grep(ctx, text) {
				if has[hit.Episode] = true; !yield(Hit{r.Name, hit}, err) || err != nil && !Unread(err) {
					return
				}
			}
			for i := range r.Rows {
				if w := &r.Rows[i]; !has[w.Episode] && !w.grep(pattern, yield) {
					return
				}
			}
		}
	}
}

// grep yields the first hit in what lists show of an episode. It returns false to stop.
func (w *Row) grep(p *runlog.Pattern, yield func(Hit, error) bool) bool {
	for _, f := range []struct{ name, text string }{{"episode", w.Episode}, {"question", w.Question}, {"gold", w.Gold}} {
		for first, end := range p.All(f.text) {
			hit := runlog.Excerpt(f.text, first, end)
			hit.Episode, hit.Message, hit.Field = w.Episode, -1, f.name
			return yield(Hit{w.Run, hit}, nil)
		}
	}
	return true
}

// Unread reports whether an error of [Library.Grep] is about one event or text that could not be read, after which the
// search continues.
func Unread(err error) bool {
	var line runlog.LineError
	var blob *runlog.BlobError
	return errors.As(err, &line) || errors.As(err, &blob)
}

// having finds the episodes that contain a text.
func (l *Library) having(ctx context.Context, text string) (map[Key]bool, error) {
	has := make(map[Key]bool)
	for hit, err := range l.Grep(ctx, text) {
		switch {
		case err != nil && Unread(err):
			if l.Warn != nil {
				l.Warn(err)
			}
		case err != nil:
			return nil, err
		default:
			has[Key{hit.Run, hit.Episode}] = true
		}
	}
	return has, nil
}
