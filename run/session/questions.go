package session

import (
	"airqa/eval"
	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/runlog"
)

// QuestionsFor reads the examples that jobs run over. It reports faults only on their first invocation, and rejects
// uuids that no run directory may contain.
func (s Session) QuestionsFor(path string, jobs []Job) ([]qa.Example, error) {
	examples, faults, err := dataset.Load(path, eval.Check)
	if err != nil {
		s.noteFaults(path, faults, faultLines)
		return nil, err
	}
	s.noteFaults(path, faults, faultsShown(jobs))
	return examples, s.checkUUIDs(examples)
}

// Questions reads examples and reports the faulty ones.
func (s Session) Questions(path string) ([]qa.Example, error) {
	examples, faults, err := dataset.Load(path, eval.Check)
	s.noteFaults(path, faults, faultLines)
	return examples, err
}

// QuestionsForPapers reads examples like [Session.Questions], but does not check their evaluators.
func (s Session) QuestionsForPapers(path string) ([]qa.Example, error) {
	examples, faults, err := dataset.Load(path, nil)
	s.noteFaults(path, faults, faultLines)
	return examples, err
}

// faultLines is the number of faults of a question file that are printed in full.
const faultLines = 3

// noteFaults prints the first faults of a question file and counts the others.
func (s Session) noteFaults(path string, faults []*dataset.Fault, most int) {
	for i, f := range faults {
		if i == most {
			more := "fault"
			if most > 0 {
				more = "more fault"
			}
			s.Notify.Warnf("%s: %s; airqa stats %s --lint lists all", path, terminal.Plural(len(faults)-most, more), path)
			return
		}
		kept := "left out"
		if f.Loaded {
			kept = "kept"
		}
		s.Notify.Warnf("%v (%s)", f, kept)
	}
}

// faultsShown is the number of faults to print: none if all jobs resume, because their first invocation printed them.
func faultsShown(jobs []Job) int {
	for _, j := range jobs {
		if _, err := runlog.ReadConfig(j.Dir); err != nil {
			return faultLines
		}
	}
	return 0
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
