package session

import (
	"fmt"
	"path/filepath"
	"slices"

	"airqa/eval/author"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/runlog"
)

// QuestionsFor reads the examples that jobs run over. It reports faults only on their first invocation, and rejects
// uuids that no run directory may contain.
func (s Session) QuestionsFor(path string, jobs []Job) ([]qa.Example, error) {
	file, err := author.Load(path, author.Options{Find: s.FindPaper})
	brief := err == nil && !slices.ContainsFunc(jobs, func(j Job) bool {
		_, err := runlog.ReadConfig(j.Dir)
		return err != nil
	})
	if !brief {
		s.NoteReading(&file.Conversion, author.Lost, author.NoPaper)
	}
	s.noteFaults(file, brief, author.Faulty)
	if err != nil {
		return nil, err
	}
	list := file.Examples()
	for _, ex := range list {
		// A run directory has such a uuid redacted, so the answers could not be found again.
		if safe := string(s.Redact([]byte(ex.UUID))); safe != ex.UUID {
			return nil, qa.Usagef("the uuid %q contains a key or a path of the home directory, which a run directory must not contain; rename the question", safe)
		}
	}
	return list, nil
}

// Questions reads examples and reports the faulty ones.
func (s Session) Questions(path string) ([]qa.Example, error) {
	file, err := author.Load(path, author.Options{Find: s.FindPaper})
	s.NoteReading(&file.Conversion, author.Lost)
	s.noteFaults(file, false, author.Faulty)
	return file.Examples(), err
}

// QuestionsForPapers reads examples like [Session.Questions], but does not check their evaluators.
func (s Session) QuestionsForPapers(path string) ([]qa.Example, error) {
	file, err := author.Load(path, author.Options{Find: s.FindPaper})
	s.NoteReading(&file.Conversion, author.NoPaper)
	s.noteFaults(file, false)
	return file.Examples(), err
}

// NoteReading prints how a question file was read, what was guessed, and as warnings the notes of some kinds.
func (s Session) NoteReading(c *author.Conversion, warnings ...author.NoteKind) {
	for _, line := range c.Summary(author.Form, author.Guessed) {
		s.Notify.Infof("%s", line)
	}
	for _, kind := range warnings {
		for _, line := range c.Summary(kind) {
			s.Notify.Warnf("%s", line)
		}
	}
}

// noteFaults prints the first fault of a file's records, unless it is to be brief, and the number of others. Notes of
// other kinds count, too.
func (s Session) noteFaults(file author.File, brief bool, others ...author.NoteKind) {
	faults := file.Faults(others...)
	if len(faults) == 0 {
		return
	}
	fate := "left out"
	if faults[0].Loaded {
		fate = "kept"
	}
	all := "airqa questions lint " + terminal.ShellWord(file.Path) + " lists all"
	switch n := len(faults); {
	case brief:
		s.Notify.Warnf("%s: %s; %s", file.Path, terminal.Plural(n, "fault"), all)
	case n == 1:
		s.Notify.Warnf("%v (%s)", faults[0], fate)
	default:
		s.Notify.Warnf("%v (%s); %s more: %s", faults[0], fate, terminal.Plural(n-1, "fault"), all)
	}
}

// OpenRun reads a run directory and its questions.
func (s Session) OpenRun(dir string) (*runlog.Run, []qa.Example, error) {
	r, err := runlog.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, bad := range r.BadLines {
		s.Notify.Warnf("%s: %v (left out)", dir, bad)
	}
	if text := r.Config.ShardText(); text != "" {
		s.Notify.Notef("%s: %s", dir, text)
	}
	if r.Unknown > 0 {
		s.Notify.Notef("%s: %d events of unknown types", dir, r.Unknown)
	}
	examples, _, err := dataset.Load(filepath.Join(dir, runlog.QuestionsFile))
	if err != nil {
		return nil, nil, err
	}
	raw, err := dataset.Lines(examples)
	if err == nil && runlog.Hash(string(raw)) != r.Config.Shape.Questions {
		s.Notify.Warnf("%s changed after the run started: scores may use other gold answers", filepath.Join(dir, runlog.QuestionsFile))
	}
	return r, examples, err
}

// Ended returns the episodes of a run with an outcome, by question and in the order of repeats, and their number.
func (s Session) Ended(r *runlog.Run) (map[string][]runlog.Recorded, int) {
	ended, n := make(map[string][]runlog.Recorded), 0
	for rec, err := range r.Episodes() {
		if err != nil {
			s.Notify.Warnf("%s: %v (this episode is left out)", r.Dir, err)
			continue
		}
		if rec.Outcome != "" {
			rec.Messages, rec.Steps = nil, nil
			ended[rec.UUID] = append(ended[rec.UUID], rec)
			n++
		}
	}
	for _, list := range ended {
		slices.SortFunc(list, func(x, y runlog.Recorded) int { return x.Repeat - y.Repeat })
	}
	return ended, n
}

// FindEpisode returns the only episode that a name means, see [qa.NamedEpisodes].
func FindEpisode(episodes []string, given string) (string, error) {
	found := qa.NamedEpisodes(episodes, func(id string) string { return id }, given)
	switch len(found) {
	case 0:
		return "", fmt.Errorf("no episode begins with %q; airqa trace RUN lists them", given)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%d episodes begin with %q; give more of the uuid, or the number of a repeat, such as %[2]s#0", len(found), given)
}
