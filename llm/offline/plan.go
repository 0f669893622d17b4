package offline

import (
	"encoding/json"
	"fmt"
	"strings"

	"airqa/internal/pyliteral"
)

// step is one turn of the loop.
type step struct{ thought, action string }

// next returns the first step of the plan that was not taken yet, and the answer when all were or the turns run out.
func (t *task) next() step {
	if t.turn < t.turns && t.ready() == nil {
		for _, s := range t.plan() {
			if !t.done(s.action) {
				return s
			}
		}
	}
	thought, value := t.answer()
	return step{thought, "Answer(answer=" + pyliteral.Repr(value) + ")"}
}

func (t *task) done(action string) bool {
	for _, c := range t.calls {
		if strings.Contains(c, "[Action]: "+action) {
			return true
		}
	}
	return false
}

// plan lists the steps that the question calls for, given what was seen so far.
func (t *task) plan() []step {
	var steps []step
	if t.query && t.failed && t.lastWas("Query(") {
		steps = append(steps, query("The statement failed or found nothing, so I try a simpler one.", t.simplerSQL()))
	}
	switch sql := t.metadataSQL(); {
	case t.query && sql != "":
		steps = append(steps, query("The database can count or look this up by itself.", sql))
	case t.wantsPaper():
		return append(steps, t.planPaper()...)
	}
	return append(steps, t.planContent()...)
}

func (t *task) lastWas(name string) bool {
	return len(t.calls) > 0 && strings.Contains(t.calls[len(t.calls)-1], "[Action]: "+name)
}

// planPaper finds a paper: passages first, then titles and abstracts.
func (t *task) planPaper() []step {
	var steps []step
	if t.retrieve {
		steps = append(steps, retrieve("A paper is wanted. I search for passages that say what the question says.", t.question, 8))
	}
	if t.query {
		steps = append(steps, query("Titles and abstracts tell which paper fits, so I rank those of the conference by the words of the question.", t.papersSQL()))
	}
	if t.retrieve && (!t.query || t.weak()) {
		steps = append(steps, t.again())
	}
	return steps
}

// planContent finds what a paper says: the paper, passages, the place that the question names, a picture.
func (t *task) planContent() []step {
	var steps []step
	if t.query && (len(t.papers) == 0 || citedPattern.MatchString(t.question)) {
		steps = append(steps, query("First I find out which paper the question is about.", t.papersSQL()))
	}
	if t.retrieve {
		for _, c := range t.searches() {
			steps = append(steps, retrieve("I look for the passage that says it.", c, 5))
		}
	}
	steps = append(steps, t.planCheck()...)
	if action := t.viewAction(); action != "" {
		steps = append(steps, step{"The answer may stand in a picture, so I look at it, though I can read only the text around it.", action})
	}
	return steps
}

// planCheck looks where the question points, and once more for passages while none fits.
func (t *task) planCheck() []step {
	var steps []step
	if detail := t.detailSQL(); t.query && detail != "" {
		thought := "The question names a place, so I look there in the database."
		if t.place() == isPassage {
			thought = "What is asked often stands in a table, so I look at the tables too."
		}
		steps = append(steps, query(thought, detail))
	}
	switch {
	case t.query && (!t.retrieve || t.weak()):
		steps = append(steps, query("I look for passages of the paper that hold the words of the question.", t.passagesSQL()))
	case t.retrieve && !t.query && t.weak():
		steps = append(steps, t.again())
	}
	return steps
}

// again is the second search, by the content words alone.
func (t *task) again() step {
	return retrieve("The best passage holds few words of the question. I ask again with the content words only.",
		strings.Join(t.terms(t.question), " "), 8)
}

// searches are the question, or its two parts when it has some.
func (t *task) searches() []string {
	if parts := clauses(t.question); len(parts) == 2 {
		return parts
	}
	return []string{t.question}
}

// weak tells that no sentence seen so far holds half of what the question asks for.
func (t *task) weak() bool {
	q := t.ask(t.question, t.want, nil)
	if len(q.sentences) == 0 {
		return true
	}
	total := 0.0
	for _, s := range sortedKeys(q.words) {
		total += q.words[s]
	}
	return q.scores[q.best()[0]] < total/2
}

func query(thought, sql string) step {
	return step{thought, "Query(sql=" + pyliteral.Repr(sql) + ")"}
}

func retrieve(thought, words string, limit int) step {
	return step{thought, fmt.Sprintf("Retrieve(query=%s, limit=%d)", pyliteral.Repr(flat(words+" ")), limit)}
}

// viewAction looks at the best figure or table that was found; it is empty when there is none or no such action.
func (t *task) viewAction() string {
	if place := t.place(); t.view && (place == isFigure || place == isTable) {
		if it := t.bestObject(place); it != nil && it.page > 0 && len(it.box) == 4 {
			box, err := json.Marshal(it.box)
			if err == nil {
				return fmt.Sprintf("View(paper_id=%s, page_number=%d, bounding_box=%s)", pyliteral.Repr(it.paper), it.page, box)
			}
		}
	}
	return ""
}

// oneStatement is the statement for the prompt that asks for one.
func (t *task) oneStatement() (thought, sql string) {
	if sql = t.metadataSQL(); sql != "" {
		return "The database can count or look this up by itself.", sql
	}
	if t.wantsPaper() {
		return "A paper is wanted, so I rank titles and abstracts by the words of the question.", t.papersSQL()
	}
	if sql = t.detailSQL(); sql != "" && t.place() != isPassage {
		return "The question names a place, so I look there.", sql
	}
	return "I look for the passages of the paper that hold most words of the question.", t.passagesSQL()
}
