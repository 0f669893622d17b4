// Package annotate asks a model how far abstracts meet the aspects of DORIS-MAE's queries, as its Anno-GPT does, and
// keeps every reply. Start from [Run], which resumes; [Export] writes scores in the benchmark's form. [Parse]
// reads a verdict. How well the scores agree with people's is measured by report/bench.
package annotate

import (
	"fmt"
	"strings"

	"airqa/bench/dorismae"
	"airqa/internal/files"
	"airqa/internal/lazyregexp"
	"airqa/prompts"
	"airqa/qa"
)

// Score is the score of a pair: 0, 1 or 2, or [Unparsed].
type Score int

// Unparsed is a reply without a verdict. It is never part of a sum.
const Unparsed Score = -1

// Rule is how the verdict of a reply is found.
type Rule string

const (
	// LastLabel takes the last label, as a word in capitals, of the last line. A reply that was cut off has no verdict.
	LastLabel Rule = "last"
	// Compat is the rule of the benchmark's authors: the only label that the reply has anywhere, also inside another
	// word; DISAGREE hides AGREE.
	Compat Rule = "compat"
)

var scores = map[string]Score{"DISAGREE": 0, "DISPUTE": 1, "AGREE": 1, "CONCUR": 2}

var label = lazyregexp.New(`\b(?:DISAGREE|DISPUTE|AGREE|CONCUR)\b`)

// Parse returns the score in a reply that ended for the given reason, see [qa.Reply].
func Parse(reply, finish string, r Rule) Score {
	if r == Compat {
		score, hits := Unparsed, 0
		for name, s := range scores {
			if strings.Contains(reply, name) && (name != "AGREE" || !strings.Contains(reply, "DISAGREE")) {
				score, hits = s, hits+1
			}
		}
		if hits != 1 {
			return Unparsed
		}
		return score
	}
	if finish == qa.FinishLength {
		return Unparsed
	}
	reply = strings.TrimSpace(reply)
	last := strings.ReplaceAll(reply[strings.LastIndexByte(reply, '\n')+1:], "_", " ") // Markdown's emphasis
	found := label.FindAllString(last, -1)
	if len(found) == 0 {
		return Unparsed
	}
	return scores[found[len(found)-1]]
}

// Names of the texts of the question and of its repetition.
const (
	template      = "annotate"
	templateAgain = "annotate_again"
)

// fill returns the question about a pair. Placeholders in its texts have no effect.
func (c Config) fill(p dorismae.Pair) (string, error) {
	context := ""
	if len(p.Within) > 0 {
		context = "It is a part of this wider requirement: " + strings.Join(p.Within, " / ") + "\n"
	}
	return c.Prompts.Render(template, prompts.Data{
		"requirement": p.Aspect, "context": context, "title": p.Abstract.Title, "abstract": strings.TrimSpace(p.Abstract.Text),
		"mark": "=====" + files.Hash(p.Abstract.Text)[:12] + "=====",
	})
}

// request is a request of a question. From the second on, it mentions the missing verdict: at temperature 0 the same request
// would get the same reply.
func (c Config) request(q question) (r qa.Request, err error) {
	text := q.text
	if q.try > 1 {
		again, err := c.Prompts.Render(templateAgain, nil)
		if err != nil {
			return r, err
		}
		text += "\n\n" + again
	}
	return qa.Request{
		Messages: []qa.Message{{Role: qa.User, Text: text}}, UUID: nameOf(q.pair.AspectID, q.pair.Abstract.ID), Repeat: q.try - 1, Step: 1,
	}, nil
}

func nameOf(aspect string, abstract int) string { return fmt.Sprintf("%s/%d", aspect, abstract) }

// hash identifies a text in the log.
func hash(text string) string { return files.Hash(text)[:16] }
