package author

import (
	"fmt"
	"strconv"
	"strings"
)

// Interview asks a person for a draft, one thing at a time. All fields are required but Find.
type Interview struct {
	// Ask prints a prompt and returns the reply, or the default for an empty one. An error ends the interview.
	Ask func(prompt, byDefault string) (string, error)
	// Say prints a message.
	Say func(text string)
	// Find returns the paper with a name; may be nil, then only UUIDs are papers.
	Find Finder
}

// Run asks for everything that the draft lacks and returns the question. A reply that cannot be used is explained and asked for
// again.
func (i Interview) Run(d Draft) (Written, error) {
	d.Find = i.Find
	for _, step := range []func(*Draft) error{i.question, i.kind, i.answer, i.papers} {
		if err := step(&d); err != nil {
			return Written{}, err
		}
	}
	w, err := d.Write()
	if err != nil {
		return w, err
	}
	if d.Format == "" {
		if d.Format, err = i.Ask("Answer format", w.AnswerFormat); err != nil {
			return w, err
		}
	}
	if len(d.Tags) == 0 {
		tags, err := i.Ask("Tags", strings.Join(w.Tags, ", "))
		if err != nil {
			return w, err
		}
		d.Tags = strings.Split(tags, ",")
	}
	return d.Write()
}

func (i Interview) question(d *Draft) (err error) {
	for strings.TrimSpace(d.Question) == "" && err == nil {
		d.Question, err = i.Ask("Question", "")
	}
	return err
}

func (i Interview) kind(d *Draft) error {
	for d.Kind == "" && d.Evaluator.Func == "" {
		name, err := i.Ask("Type of the answer (? lists the types)", string(Auto))
		if err != nil {
			return err
		}
		if name == "?" {
			i.Say(KindList())
		} else if d.Kind, err = ParseKind(name); err != nil {
			i.Say(err.Error())
		}
	}
	return nil
}

// answer asks until the answer can be scored. An empty answer leaves the question without an evaluator.
func (i Interview) answer(d *Draft) (err error) {
	if d.Evaluator.Func != "" || d.Kind == None {
		return nil
	}
	prompt := "Right answer (Enter for none: answers stay unscored)"
	if d.Kind.row().several {
		prompt = "Right answers, separated by semicolons"
	}
	for given := d.Answer != ""; ; given = false {
		if !given {
			if d.Answer, err = i.Ask(prompt, ""); err != nil {
				return err
			}
		}
		if err := i.count(d); err != nil {
			return err
		}
		if d.Answer == "" && d.Kind == Auto {
			return nil
		}
		if _, err := d.Write(); err == nil {
			return nil
		} else {
			i.Say(err.Error())
		}
		d.Count = 0
	}
}

// count asks how many elements suffice.
func (i Interview) count(d *Draft) error {
	if d.Kind != Some && d.Kind != Points {
		return nil
	}
	prompt, usual := "How many elements suffice", 1
	if d.Kind == Points {
		prompt, usual = "How many points suffice", max(len(sentences(d.Answer)), 1)
	}
	for d.Count < 1 {
		reply, err := i.Ask(prompt, fmt.Sprint(usual))
		if err != nil {
			return err
		}
		if d.Count, err = strconv.Atoi(reply); err != nil || d.Count < 1 {
			i.Say(fmt.Sprintf("%q is not a positive number", reply))
			d.Count = 0
		}
	}
	return nil
}

// papers asks for papers until there is an empty reply.
func (i Interview) papers(d *Draft) error {
	if len(d.Papers) > 0 {
		return nil
	}
	prompt := "Paper (uuid, file name or part of the title; Enter for none)"
	for {
		name, err := i.Ask(prompt, "")
		if err != nil || name == "" {
			return err
		}
		uuid, title, err := FindPaper(i.Find, name)
		if err != nil {
			i.Say(err.Error())
			continue
		}
		d.Papers = append(d.Papers, uuid)
		i.Say(strings.TrimSpace(uuid + "  " + title))
		prompt = "Another paper (Enter for no more)"
	}
}
