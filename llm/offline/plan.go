package offline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"airqa/agent/action"
	"airqa/internal/lazyregexp"
	"airqa/internal/python"
)

// step is one turn of the loop: a thought and a call.
type step struct {
	thought, tool string
	args          map[string]any
}

func query(thought, sql string) step { return step{thought, "Query", map[string]any{"sql": sql}} }

func retrieve(thought, about string) step {
	return step{thought, "Retrieve", map[string]any{"query": about, "limit": int64(5)}}
}

// params are the parameters of all tools, in the order in which calls print them.
var params = []action.Param{
	{Name: "query"},
	{Name: "limit"},
	{Name: "sql"},
	{Name: "paper_id"},
	{Name: "page_number"},
	{Name: "bounding_box"},
	{Name: "answer"},
	{Name: "evidence"},
	{Name: "ranking"},
}

// write prints a call in the action format of the prompt, or the arguments of a native call as JSON.
func (t *task) write(s step) string {
	args := make(map[string]any)
	for name, v := range s.args {
		args[name] = python.ToGo(v)
	}
	if _, isText := s.args["answer"].(string); t.format == action.XML && s.tool == "Answer" && !isText {
		args["answer"] = python.Str(s.args["answer"])
	}
	if t.form == wantsCall {
		raw, _ := json.Marshal(args)
		return string(raw)
	}
	return t.format.Write(action.Spec{Name: s.tool, Params: params}, args)
}

// next is the first step of the plan not taken yet, or the answer if there is none or it is the last turn.
func (t *task) next() step {
	if t.turn < maxTurns && t.best(result, "") == nil {
		for _, s := range t.plan() {
			if t.tools[s.tool] && t.taken(s) < 0 {
				return s
			}
		}
	}
	thought, value := t.answer()
	return step{thought, "Answer", t.final(value)}
}

// taken is the index of the call that took a step, or -1.
func (t *task) taken(s step) int {
	for i, c := range t.calls {
		if strings.Contains(c, t.write(s)) {
			return i
		}
	}
	return -1
}

// plan lists the steps for the question, given what was seen so far.
func (t *task) plan() []step {
	var steps []step
	if sql := t.metadataSQL(guessed); sql != "" {
		steps = append(steps, query("The database can count this.", sql))
		if i := t.taken(steps[0]); i >= 0 && t.failed[i] {
			steps[0] = query("The statement failed, so I look up the name in the schema.", t.metadataSQL(t.lookedUp))
		}
	}
	if len(t.papers) == 0 && (t.want.class == asTitle || t.want.class == asUUID) {
		return append(steps,
			retrieve("I need a paper, so I search for passages that say what the question says.", t.question),
			query("Titles and abstracts show which paper fits best.", t.papersSQL()))
	}
	if len(t.papers) == 0 && t.form != wantsSQL {
		steps = append(steps, query("First I find out which paper the question is about.", t.papersSQL()))
	}
	steps = append(steps, retrieve("I search for the passage that has the answer.", t.question))
	if t.place() != passage || !t.tools["Retrieve"] {
		steps = append(steps, query("I look up the part of the paper that the question is about.", t.placeSQL()))
	}
	return append(steps, t.views()...)
}

// views looks at the figure or table of the question once its position on a page is known.
func (t *task) views() []step {
	it := t.best(t.place(), objectPattern.FindString(t.question))
	if it == nil || it.page < 1 || len(it.box) != 4 {
		return nil
	}
	return []step{{
		"The answer may be in the image, so I look at it, though I can only read the text around it.", "View",
		map[string]any{"paper_id": it.paper, "page_number": it.page, "bounding_box": it.box},
	}}
}

// statement is the query for a prompt that asks for one: the first in the plan.
func (t *task) statement() step {
	steps := append(t.plan(), query("I look for the passage that has the answer.", t.placeSQL()))
	return steps[slices.IndexFunc(steps, func(s step) bool { return s.tool == "Query" })]
}

var (
	figurePattern = lazyregexp.New(`(?i)\b(?:figures?|charts?|plots?|diagrams?|matrix|axis|axes)\b`)
	tableWord     = lazyregexp.New(`(?i)\b(?:tables?|columns?)\b`)
	objectPattern = lazyregexp.New(`(?i)\b(?:figure|table) (?:\d+|[IVX]+)\b`)
)

// place is where the question locates its answer, by default a passage.
func (t *task) place() kind {
	switch {
	case t.want.class == asFormula:
		return equation
	case figurePattern.MatchString(t.question):
		return figure
	case tableWord.MatchString(t.question):
		return table
	}
	return passage
}

func literals(list ...string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = "'" + strings.ReplaceAll(strings.ReplaceAll(s, "\x00", ""), "'", "''") + "'"
	}
	return strings.Join(quoted, ", ")
}

// venueSQL is the condition for papers of a conference, given its name and year.
func venueSQL(m []string) string {
	if m[2] == "" {
		return "conference_abbreviation ILIKE " + literals(m[1])
	}
	return "conference_abbreviation ILIKE " + literals(m[1]) + " AND pub_year = " + m[2]
}

// hits counts the words of the question in a column.
func (t *task) hits(column string) string {
	return fmt.Sprintf("len(list_filter([%s], w -> contains(lower(%s), w)))", literals(t.terms[:min(12, len(t.terms))]...), column)
}

// ofPapers is the condition for rows of the question's papers: those it names, else the one found for it, else the one
// whose title and abstract match best.
func (t *task) ofPapers(column string) string {
	list := slices.Concat(t.papers, t.found)
	if len(list) == 0 {
		return fmt.Sprintf("%s IN (SELECT paper_id FROM metadata WHERE %s ORDER BY %s DESC, title LIMIT 1)",
			column, t.venues, t.hits("concat(title, ' ', abstract)"))
	}
	return column + " IN (" + literals(list...) + ")"
}

// papersSQL ranks papers by title and abstract.
func (t *task) papersSQL() string {
	return fmt.Sprintf("SELECT paper_id, title, abstract FROM metadata WHERE %s ORDER BY %s DESC, title LIMIT 6",
		t.venues, t.hits("concat(title, ' ', abstract)"))
}

// places are the table of each kind of item, the columns to show, and the one to search.
var places = map[kind]struct{ table, shown, searched string }{
	passage:  {"chunks", "r.text_content AS text", "r.text_content"},
	figure:   {"images", "r.image_caption, r.bounding_box", "r.image_caption"},
	table:    {"tables", "r.table_caption, r.table_content, r.bounding_box", "concat(r.table_caption, ' ', r.table_content)"},
	equation: {"equations", "r.equation_content", "r.equation_content"},
}

// placeSQL searches where the question locates its answer.
func (t *task) placeSQL() string {
	p := places[t.place()]
	return fmt.Sprintf("SELECT %s, r.ref_paper_id AS paper_id, p.page_number FROM %s r JOIN pages p ON r.ref_page_id = p.page_id WHERE %s ORDER BY %s DESC, r.ordinal LIMIT 6",
		p.shown, p.table, t.ofPapers("r.ref_paper_id"), t.hits(p.searched))
}

var (
	countPattern = lazyregexp.New(`(?i)\bhow many (\w+) (?:does|do|are in) (?:the|this) (?:[\w-]+ )?paper\b`)
	mostPattern  = lazyregexp.New(`(?i)\bpaper\b.*\b(largest|highest|most|smallest|fewest|lowest) (?:number of )?(\w+)`)
)

// metadataSQL asks for a number that the database can compute, in the column "answer"; it is empty for other questions.
// counted turns a noun of the question into an expression.
func (t *task) metadataSQL(counted func(noun string) string) string {
	if m := countPattern.FindStringSubmatch(t.question); m != nil && len(t.papers) > 0 {
		return fmt.Sprintf("SELECT %s AS answer FROM metadata WHERE %s", counted(m[1]), t.ofPapers("paper_id"))
	}
	if m := mostPattern.FindStringSubmatch(t.question); m != nil && t.want.class == asTitle {
		order := map[bool]string{true: "ASC", false: "DESC"}[strings.Contains("smallest fewest lowest", strings.ToLower(m[1]))]
		return fmt.Sprintf("SELECT title AS answer FROM metadata WHERE %s ORDER BY %s %s, title LIMIT 1", t.venues, counted(m[2]), order)
	}
	return ""
}

// guessed treats a noun as a list column.
func guessed(noun string) string { return "len(" + strings.ToLower(noun) + ")" }

var (
	tablePattern  = lazyregexp.New(`-- One row per (\w+).*\nCREATE TABLE (\w+)`)
	columnPattern = lazyregexp.New(`(?m)^ +(num_\w+) INTEGER`)
)

// lookedUp finds a noun in the schema of the prompt: a column that counts it, or a table with one row for each.
func (t *task) lookedUp(noun string) string {
	wanted := stem(strings.ToLower(noun))
	for _, m := range columnPattern.FindAllStringSubmatch(t.schema, -1) {
		if setOf(strings.ReplaceAll(m[1], "_", " "))[wanted] {
			return m[1]
		}
	}
	for _, m := range tablePattern.FindAllStringSubmatch(t.schema, -1) {
		if setOf(m[1] + " " + m[2])[wanted] {
			return fmt.Sprintf(`(SELECT count(*) FROM "%s" WHERE ref_paper_id = paper_id)`, m[2])
		}
	}
	return guessed(noun)
}
