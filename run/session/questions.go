package session

import (
	"airqa/eval/author"
	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/runlog"
)

// QuestionsFor reads the examples that jobs run over. It reports faults only on their first invocation, and rejects
// uuids that no run directory may contain.
func (s Session) QuestionsFor(path string, jobs []Job) ([]qa.Example, error) {
	file, err := author.Load(path, author.Options{Find: s.FindPaper})
	if err != nil {
		s.noteFaults(file, false, author.Faulty)
		return nil, err
	}
	s.noteFaults(file, resumed(jobs), author.Faulty)
	list := file.Examples()
	return list, s.checkUUIDs(list)
}

// Questions reads examples and reports the faulty ones.
func (s Session) Questions(path string) ([]qa.Example, error) {
	file, err := author.Load(path, author.Options{Find: s.FindPaper})
	s.noteFaults(file, false, author.Faulty)
	return file.Examples(), err
}

// QuestionsForPapers reads examples like [Session.Questions], but does not check their evaluators.
func (s Session) QuestionsForPapers(path string) ([]qa.Example, error) {
	file, err := author.Load(path, author.Options{Find: s.FindPaper})
	s.noteFaults(file, false)
	return file.Examples(), err
}

// noteFaults prints how a question file was read, and the first fault of its records with the number of others. Faults
// of the given kinds count, too. If brief, only their number is printed.
func (s Session) noteFaults(file author.File, brief bool, kinds ...author.NoteKind) {
	if !brief {
		s.NoteReading(&file.Conversion)
	}
	faults := file.Faults(append(kinds, author.NotConverted, author.Incomplete)...)
	all := "airqa questions lint " + terminal.ShellWord(file.Path) + " lists all"
	switch n := len(faults); {
	case n == 0:
	case brief:
		s.Notify.Warnf("%s: %s; %s", file.Path, terminal.Plural(n, "fault"), all)
	case n == 1:
		s.Notify.Warnf("%v (%s)", faults[0], became(faults[0]))
	default:
		s.Notify.Warnf("%v (%s); %s more, %s", faults[0], became(faults[0]), terminal.Plural(n-1, "fault"), all)
	}
}

// NoteReading prints how a question file was read: its form, and what was lost and guessed.
func (s Session) NoteReading(c *author.Conversion) {
	for _, line := range c.Summary(author.Form, author.Guessed) {
		s.Notify.Infof("%s", line)
	}
	for _, line := range c.Summary(author.Lost) {
		s.Notify.Warnf("%s", line)
	}
}

// became is what a fault means for its question.
func became(f *dataset.Fault) string {
	if f.Loaded {
		return "kept"
	}
	return "left out"
}

// resumed reports whether all jobs resume, so that their first invocation printed the faults.
func resumed(jobs []Job) bool {
	for _, j := range jobs {
		if _, err := runlog.ReadConfig(j.Dir); err != nil {
			return false
		}
	}
	return true
}

// checkUUIDs rejects questions whose uuid contains a key or a path of the home directory: these are redacted in a run
// directory, so the answers could not be found again.
func (s Session) checkUUIDs(examples []qa.Example) error {
	for _, ex := range examples {
		if safe := string(s.Redact([]byte(ex.UUID))); safe != ex.UUID {
			return exit.Misuse("the uuid %q contains a key or a path of the home directory, which a run directory must not contain; rename the question", safe)
		}
	}
	return nil
}
