package session

import (
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

// noteFaults prints the first fault of a file's records, unless it is to be brief, and the number of others. Faults of the
// given kinds count, too.
func (s Session) noteFaults(file author.File, brief bool, kinds ...author.NoteKind) {
	faults := file.Faults(append(kinds, author.NotConverted, author.Incomplete)...)
	all := "airqa questions lint " + terminal.ShellWord(file.Path) + " lists all"
	switch n := len(faults); {
	case n == 0:
	case brief:
		s.Notify.Warnf("%s: %s; %s", file.Path, terminal.Plural(n, "fault"), all)
	case n == 1:
		s.Notify.Warnf("%v (%s)", faults[0], fateText(faults[0]))
	default:
		s.Notify.Warnf("%v (%s); %s more: %s", faults[0], fateText(faults[0]), terminal.Plural(n-1, "fault"), all)
	}
}

// fateText is what a fault means for its question.
func fateText(f *dataset.Fault) string {
	if f.Loaded {
		return "kept"
	}
	return "left out"
}
