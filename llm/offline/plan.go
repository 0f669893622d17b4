package offline

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"airqa/internal/pyliteral"
	"airqa/llm/offline/evidence"
	"airqa/llm/offline/task"
	"airqa/llm/offline/words"
)

// policy decides what to do about a task: the next step of the loop, a statement, an answer.
type policy struct{ *task.Task }

// step is one turn of the loop.
type step struct{ thought, action string }

// next returns the first step of the plan that was not taken yet, and the answer when all were or the turns run out.
func (p policy) next() step {
	if p.Turn < p.Turns && p.Ready() == nil {
		for _, s := range p.plan() {
			if !p.done(s.action) {
				return s
			}
		}
	}
	thought, value := p.answer()
	return step{thought, "Answer(answer=" + pyliteral.Repr(value) + ")"}
}

func (p policy) done(action string) bool {
	for _, c := range p.Calls {
		if strings.Contains(c, "[Action]: "+action) {
			return true
		}
	}
	return false
}

// plan lists the steps that the question calls for, given what was seen so far.
func (p policy) plan() []step {
	var steps []step
	if p.Query && p.Failed && p.lastWas("Query(") {
		steps = append(steps, query("The statement failed or found nothing, so I try a simpler one.", p.simplerSQL()))
	}
	switch sql := p.metadataSQL(); {
	case p.Query && sql != "":
		steps = append(steps, query("The database can count or look this up by itself.", sql))
	case p.WantsPaper():
		return append(steps, p.planPaper()...)
	}
	return append(steps, p.planContent()...)
}

func (p policy) lastWas(name string) bool {
	return len(p.Calls) > 0 && strings.Contains(p.Calls[len(p.Calls)-1], "[Action]: "+name)
}

// planPaper finds a paper: passages first, then titles and abstracts.
func (p policy) planPaper() []step {
	var steps []step
	if p.Retrieve {
		steps = append(steps, retrieve("A paper is wanted. I search for passages that say what the question says.", p.Question, 8))
	}
	if p.Query {
		steps = append(steps, query("Titles and abstracts tell which paper fits, so I rank those of the conference by the words of the question.", p.papersSQL()))
	}
	if p.Retrieve && (!p.Query || p.weak()) {
		steps = append(steps, p.again())
	}
	return steps
}

var cites = regexp.MustCompile(`(?i)\b(?:cite[sd]?|cited|quote[sd]?|refers? to|builds? on|in the paper (?:on|of))\b`)

// planContent finds what a paper says: the paper, passages, the place that the question names, a picture.
func (p policy) planContent() []step {
	var steps []step
	if p.Query && (len(p.Papers) == 0 || cites.MatchString(p.Question)) {
		steps = append(steps, query("First I find out which paper the question is about.", p.papersSQL()))
	}
	if p.Retrieve {
		for _, c := range p.searches() {
			steps = append(steps, retrieve("I look for the passage that says it.", c, 5))
		}
	}
	steps = append(steps, p.planCheck()...)
	if action := p.viewAction(); action != "" {
		steps = append(steps, step{"The answer may stand in a picture, so I look at it, though I can read only the text around it.", action})
	}
	return steps
}

// planCheck looks where the question points, and once more for passages while none fits.
func (p policy) planCheck() []step {
	var steps []step
	if detail := p.detailSQL(); p.Query && detail != "" {
		thought := "The question names a place, so I look there in the database."
		if p.Place() == task.IsPassage {
			thought = "What is asked often stands in a table, so I look at the tables too."
		}
		steps = append(steps, query(thought, detail))
	}
	switch {
	case p.Query && (!p.Retrieve || p.weak()):
		steps = append(steps, query("I look for passages of the paper that hold the words of the question.", p.passagesSQL()))
	case p.Retrieve && !p.Query && p.weak():
		steps = append(steps, p.again())
	}
	return steps
}

// again is the second search, by the content words alone.
func (p policy) again() step {
	return retrieve("The best passage holds few words of the question. I ask again with the content words only.",
		strings.Join(p.Terms(p.Question), " "), 8)
}

// searches are the question, or its two parts when it has some.
func (p policy) searches() []string {
	if parts := words.Clauses(p.Question); len(parts) == 2 {
		return parts
	}
	return []string{p.Question}
}

func query(thought, sql string) step {
	return step{thought, "Query(sql=" + pyliteral.Repr(sql) + ")"}
}

func retrieve(thought, about string, limit int) step {
	return step{thought, fmt.Sprintf("Retrieve(query=%s, limit=%d)", pyliteral.Repr(words.Flat(about+" ")), limit)}
}

// viewAction looks at the best figure or table that was found; it is empty when there is none or no such action.
func (p policy) viewAction() string {
	if place := p.Place(); p.View && (place == task.IsFigure || place == task.IsTable) {
		if it := p.bestObject(place); it != nil && it.Page > 0 && len(it.Box) == 4 {
			box, err := json.Marshal(it.Box)
			if err == nil {
				return fmt.Sprintf("View(paper_id=%s, page_number=%d, bounding_box=%s)", pyliteral.Repr(it.Paper), it.Page, box)
			}
		}
	}
	return ""
}

// oneStatement is the statement for the prompt that asks for one.
func (p policy) oneStatement() (thought, sql string) {
	if sql = p.metadataSQL(); sql != "" {
		return "The database can count or look this up by itself.", sql
	}
	if p.WantsPaper() {
		return "A paper is wanted, so I rank titles and abstracts by the words of the question.", p.papersSQL()
	}
	if sql = p.detailSQL(); sql != "" && p.Place() != task.IsPassage {
		return "The question names a place, so I look there.", sql
	}
	return "I look for the passages of the paper that hold most words of the question.", p.passagesSQL()
}

// wantsTable tells that tables are a likely place although the question does not say so.
func (p policy) wantsTable() bool {
	return p.Want.Class == task.AsFloat || p.Want.Class == task.AsDict || evidence.Compares(p.Question)
}
