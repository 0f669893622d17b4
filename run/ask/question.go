package ask

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/prompts"
	"airqa/qa"
	"airqa/run/session"
	"airqa/runlog"
)

// Turn is a question of a conversation with its answer.
type Turn struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Limits of a conversation: the number of earlier questions shown, and the length of an answer in characters.
const (
	mostTurns  = 10
	mostAnswer = 2000
)

// exchange is the number of messages of a question and its answer.
const exchange = 2

// mostAnchors is the number of papers up to which a question names all of them.
const mostAnchors = 8

// examples makes the examples of questions about papers, which may be nil for all papers of the data directory. A
// question asked twice is one example.
func examples(set prompts.Set, questions []string, earlier []Turn, papers []string) ([]qa.Example, error) {
	format, err := set.Render("ask_format", nil)
	if err != nil {
		return nil, err
	}
	if len(papers) > mostAnchors {
		papers = nil
	}
	var history []qa.Utterance
	for _, t := range earlier[max(0, len(earlier)-mostTurns):] {
		history = append(history, qa.Utterance{Role: qa.User, Text: oneLine(t.Question)}, qa.Utterance{Role: qa.Assistant, Text: oneLine(t.Answer)})
	}
	var list []qa.Example
	for _, question := range questions {
		ex := qa.Example{ // with another conversation, it is another question
			UUID: qa.QuestionUUID(question + prompts.Dialogue(history, prompts.HistoryMessages)), Question: question, History: history,
			AnswerFormat: format, AnchorPDF: papers, Tags: []string{}, ReferencePDF: []string{}, Conference: []string{},
		}
		if ex.AnchorPDF == nil {
			ex.AnchorPDF = []string{}
		}
		if !slices.ContainsFunc(list, func(o qa.Example) bool { return o.UUID == ex.UUID }) {
			list = append(list, ex)
		}
	}
	return list, nil
}

func oneLine(text string) string {
	return terminal.Truncate(strings.Join(strings.Fields(text), " "), mostAnswer, " …")
}

// Conversation is what was asked and answered before.
type Conversation struct {
	// Dir is the run directory of the last question.
	Dir   string
	Turns []Turn
	// Papers are the papers that its questions name; nil for all.
	Papers []string
}

// Continued returns the conversation of a run directory, or of one question of it: RUN or RUN/UUID, where the uuid may
// be a prefix.
func Continued(s session.Session, name string) (Conversation, error) {
	dir, uuid := SplitRun(name)
	r, list, err := s.OpenRun(dir)
	if errors.Is(err, runlog.ErrNoRun) {
		return Conversation{}, &qa.UsageError{Err: err}
	}
	if err != nil {
		return Conversation{}, err
	}
	ended, _ := s.Ended(r)
	c := Conversation{Dir: dir}
	for _, ex := range list {
		if !strings.HasPrefix(ex.UUID, uuid) || len(ended[ex.UUID]) == 0 || !ended[ex.UUID][0].Answer.Given {
			continue
		}
		if c.Turns == nil {
			for pair := range slices.Chunk(ex.History[:len(ex.History)/exchange*exchange], exchange) {
				c.Turns = append(c.Turns, Turn{pair[0].Text, pair[1].Text})
			}
		}
		c.Turns = append(c.Turns, Turn{ex.Question, ended[ex.UUID][0].Answer.Text})
		c.Papers = ex.AnchorPDF
	}
	if len(c.Turns) == 0 {
		return c, qa.Usagef("%s has no answered question to continue from", name)
	}
	return c, nil
}

// SplitRun splits RUN/UUID. Without a uuid, or if the whole is a run directory, the uuid is empty.
func SplitRun(name string) (dir, uuid string) {
	if _, err := os.Stat(filepath.Join(name, runlog.RunFile)); errors.Is(err, fs.ErrNotExist) {
		if above := filepath.Dir(name); isRun(above) {
			return above, filepath.Base(name)
		}
	}
	return name, ""
}

func isRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, runlog.RunFile))
	return err == nil
}

// Read reads questions, one a line. Empty lines and lines that begin with # are left out.
func Read(text string) []string {
	var list []string
	for line := range strings.Lines(string(files.Text([]byte(text)))) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}
