package serve

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"airqa/qa"
)

// Choice selects a question: by its uuid, by an index within a split, or by a seed within a split. Without any of them, the
// seed is random.
type Choice struct {
	Question string
	// Split is the name of a split; empty for all questions.
	Split string
	Index *int
	Seed  *uint64
}

// Split is a part of the questions. No paper is in two splits.
type Split struct {
	Name string
	// Questions are in the order of the question file.
	Questions []qa.Example
}

// AllQuestions is the name of the split of all questions.
const AllQuestions = "all"

// At returns a question by its index.
func (s Split) At(index int) (qa.Example, error) {
	if index < 0 || index >= len(s.Questions) {
		return qa.Example{}, fmt.Errorf("%w: index %d: the split %s has %d questions", ErrChoice, index, s.Name, len(s.Questions))
	}
	return s.Questions[index], nil
}

// Split returns a split by name; empty means all questions.
func (h *Host) Split(name string) (Split, error) {
	if name == "" {
		name = AllQuestions
	}
	i := slices.IndexFunc(h.Splits, func(s Split) bool { return s.Name == name })
	if i < 0 {
		var names []string
		for _, s := range h.Splits {
			names = append(names, s.Name)
		}
		return Split{}, fmt.Errorf("%w: there is no split %.40q; there are %q", ErrChoice, name, names)
	}
	return h.Splits[i], nil
}

// Pick returns the question of a choice. The same seed picks the same question on every machine with the same questions.
func (h *Host) Pick(c Choice) (qa.Example, error) {
	if c.Question != "" {
		ex, ok := h.byID[c.Question]
		if !ok {
			return ex, fmt.Errorf("%w: there is no question %.80q", ErrChoice, c.Question)
		}
		return ex, nil
	}
	split, err := h.Split(c.Split)
	if err != nil {
		return qa.Example{}, err
	}
	n := len(split.Questions)
	switch {
	case n == 0:
		return qa.Example{}, fmt.Errorf("%w: the split is empty", ErrChoice)
	case c.Index != nil:
		return split.At(*c.Index)
	case c.Seed != nil:
		return split.Questions[rand.New(rand.NewPCG(*c.Seed, 0)).IntN(n)], nil
	}
	return split.Questions[rand.IntN(n)], nil
}

// Task is what a client may know of a question before its episode.
type Task struct {
	ID           string   `json:"id"`
	Question     string   `json:"question"`
	AnswerFormat string   `json:"answer_format,omitempty"`
	Papers       []string `json:"papers,omitempty"`
	Conference   []string `json:"conference,omitempty"`
}

// TaskOf returns the public part of a question.
func TaskOf(ex qa.Example) Task {
	return Task{ex.UUID, ex.Question, ex.AnswerFormat, ex.AnchorPDF, ex.Conference}
}

// ParseChoice reads a choice from the members of a JSON object: question_id (or task_id), split, index and seed. Other
// members are an error, except for those in ignored.
func ParseChoice(data map[string]json.RawMessage, ignored ...string) (c Choice, err error) {
	for name, raw := range data {
		var into any
		switch name {
		case "question_id", "task_id":
			into = &c.Question
		case "split":
			into = &c.Split
		case "index":
			into = &c.Index
		case "seed":
			into = &c.Seed
		default:
			if slices.Contains(ignored, name) {
				continue
			}
			return c, fmt.Errorf("%w: unknown selector %.40q; there are question_id, split, index and seed", ErrChoice, name)
		}
		if string(raw) == "null" {
			continue
		}
		if err := json.Unmarshal(raw, into); err != nil {
			return c, fmt.Errorf("%w: %s cannot be %.40s", ErrChoice, name, raw)
		}
	}
	if c.Question != "" && c.Index != nil { // a seed may come with either: some clients always send one
		err = fmt.Errorf("%w: give question_id or index, not both", ErrChoice)
	}
	return c, err
}
