package offline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"airqa/agent/action"
	"airqa/internal/lazyregexp"
	"airqa/internal/python"
	"airqa/qa"
)

// step is one turn of the loop: a thought and a call.
type step struct {
	thought, tool string
	args          map[string]any
}

func query(thought, sql string) step { return step{thought, "Query", map[string]any{"sql": sql}} }

// params are the parameters of all tools, in the order in which calls print them.
var params = strings.Fields("query limit sql paper_id page_number bounding_box answer evidence ranking")

// write prints a call in the action format of the prompt, or the arguments of a native call as JSON.
func (t *task) write(s step) string {
	args, spec := make(map[string]any), action.Spec{Name: s.tool}
	for _, name := range params {
		spec.Params = append(spec.Params, action.Param{Name: name})
		if v, ok := s.args[name]; ok {
			args[name] = python.ToGo(v)
		}
	}
	if v, ok := s.args["answer"]; ok && t.format == action.XML { // an element holds text only
		args["answer"] = python.Str(v)
	}
	if t.form == "call" {
		raw, _ := json.Marshal(args) // every answer has a form in JSON
		return string(raw)
	}
	return t.format.Write(spec, args)
}

// next is the first step of the plan not taken yet, or the answer if there is none, at the latest in turn 6.
func (t *task) next() step {
	if t.turn < 6 && t.best("answer") == nil {
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
	return slices.IndexFunc(t.calls, func(c string) bool { return strings.Contains(c, t.write(s)) })
}

var countPattern = lazyregexp.New(`(?i)\bhow many (\w+) (?:does|do|are in) (?:the|this) (?:[\w-]+ )?paper\b`)

// plan lists the steps for the question, given what was seen so far.
func (t *task) plan() (steps []step) {
	if m := countPattern.FindStringSubmatch(t.question); m != nil && len(t.papers) > 0 {
		rest := " AS answer FROM metadata WHERE " + t.ofPapers("paper_id")
		s := query("The database can count this.", "SELECT len("+strings.ToLower(m[1])+")"+rest)
		if i := t.taken(s); i >= 0 && t.failed[i] {
			s = query("The statement failed, so I look for a column with the number.", "SELECT num_"+strings.ToLower(m[1])+rest)
		}
		steps = append(steps, s)
	}
	papers := query("Titles and abstracts show which paper fits best.", "SELECT paper_id, title, abstract FROM metadata "+t.ranked(6))
	search := step{"I search for the passage that has the answer.", "Retrieve", map[string]any{"query": t.question, "limit": int64(5)}}
	if len(t.papers) == 0 && (t.want.class == "title" || t.want.class == "uuid") {
		return append(steps, search, papers)
	}
	if len(t.papers) == 0 && t.form != "sql" {
		steps = append(steps, papers)
	}
	p := places[t.place()]
	steps = append(steps, search, query("I look up the part of the paper that the question is about.", fmt.Sprintf("SELECT %s, "+
		"r.ref_paper_id AS paper_id, p.page_number FROM %s r JOIN pages p ON r.ref_page_id = p.page_id WHERE %s ORDER BY %s DESC, r.ordinal LIMIT 6",
		p.shown, p.table, t.ofPapers("r.ref_paper_id"), t.hits(p.searched))))
	if it := t.best(t.place()); it.visible() {
		steps = append(steps, step{
			"The answer may be in the image, so I look at it, though I can only read the text around it.", "View",
			map[string]any{"paper_id": it.paper, "page_number": it.page, "bounding_box": it.box},
		})
	}
	return steps
}

// place is the kind of item in which the question locates its answer, by default a passage.
func (t *task) place() string {
	switch {
	case t.want.class == "formula":
		return "equation_content"
	case figurePattern.MatchString(t.question):
		return "image_caption"
	case tableWord.MatchString(t.question):
		return "table_content"
	}
	return "text"
}

// places are the table of each kind of item, the columns to show, and the one to search.
var places = map[string]struct{ table, shown, searched string }{
	"text":             {"chunks", "r.text_content AS text", "r.text_content"},
	"image_caption":    {"images", "r.image_caption, r.bounding_box", "r.image_caption"},
	"table_content":    {"tables", "r.table_caption, r.table_content, r.bounding_box", "concat(r.table_caption, ' ', r.table_content)"},
	"equation_content": {"equations", "r.equation_content", "r.equation_content"},
}

func literals(list ...string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = "'" + strings.NewReplacer("\x00", "", "'", "''").Replace(s) + "'"
	}
	return strings.Join(quoted, ", ")
}

func (t *task) hits(column string) string {
	return fmt.Sprintf("len(list_filter([%s], w -> contains(lower(%s), w)))", literals(t.terms[:min(12, len(t.terms))]...), column)
}

func (t *task) ranked(limit int) string { // papers, by title and abstract
	return fmt.Sprintf("ORDER BY %s DESC, title LIMIT %d", t.hits("concat(title, ' ', abstract)"), limit)
}

// ofPapers is the condition for rows of the question's papers: those it names, else the best one, if it was found before.
func (t *task) ofPapers(column string) string {
	list := t.papers
	if found := t.best("abstract"); found != nil && len(list) == 0 {
		list = []string{found.paper}
	} else if len(list) == 0 {
		return column + " IN (SELECT paper_id FROM metadata " + t.ranked(1) + ")"
	}
	return column + " IN (" + literals(list...) + ")"
}

// answer answers from everything seen so far in the required shape, with a thought. In a list, each statement that the
// question quotes has a number of its own.
func (t *task) answer() (thought string, value python.Value) {
	if r := t.best("answer"); r != nil {
		return "The result is the answer.", number(r.text)
	}
	thought = "This is what the text closest to the question says."
	if t.want.class != "list" {
		return thought, t.nth(t.want, 0)
	}
	var list python.List
	statements := quotedStatement.FindAllString(t.question, -1)
	for i := range t.want.count {
		if i < len(statements) {
			part := task{ranking: newRanking(statements[i], t.items)}
			list = append(list, part.nth(*t.want.part, 0))
		} else {
			list = append(list, t.nth(*t.want.part, i))
		}
	}
	return thought, list
}

// nth is candidate i for a shape, or a guess if there are too few.
func (t *task) nth(want shape, i int) python.Value {
	if list := t.candidates(want); i < len(list) {
		return list[i]
	}
	guesses := map[string]python.Value{"integer": int64(2), "float": 0.5, "bool": true}
	return cmp.Or(guesses[want.class], python.Value(strings.Join(t.terms, " ")))
}

var (
	figurePattern   = lazyregexp.New(`(?i)\b(?:figures?|charts?|plots?|diagrams?|matrix|axis|axes)\b`)
	tableWord       = lazyregexp.New(`(?i)\b(?:tables?|columns?)\b`)
	idPattern       = lazyregexp.New(`(?m)^(?:\[Title\]: )?\[([A-Za-z]?\d+)\] `) // begins a passage of a companion benchmark
	negation        = lazyregexp.New(`(?i)\b(?:no|not|never|none|nor|without|cannot)\b|n[’']t\b`)
	quotedStatement = lazyregexp.New(`“[^”]*___[^”]*”`)
	captionLabel    = lazyregexp.New(`(?i)^(?:figure|fig\.?|table) [\dIVX]+\s*[:.]?\s*`)
)

// candidates are the possible answers of a shape, best first.
func (t *task) candidates(want shape) []python.Value {
	switch it := t.best(t.place()); {
	case len(t.items) == 0:
		return nil
	case want.class == "integer" || want.class == "float":
		return t.numbers(want)
	case want.class == "title" && t.best("abstract") != nil:
		return []python.Value{t.best("abstract").label}
	case want.class == "title": // the first line of a passage, which may be the first of the paper
		line, _, _ := strings.Cut(t.items[0].text, "\n")
		return []python.Value{line}
	case want.class == "uuid":
		return []python.Value{t.items[0].paper}
	case want.class == "formula" && it != nil:
		return []python.Value{strings.Trim(it.text, "$ \n")}
	case len(t.sentences) == 0:
		return nil
	case want.class == "bool":
		return []python.Value{!negation.MatchString(t.sentences[0].text)}
	}
	return []python.Value{t.sentences[0].text}
}

// asksFor reads from a prompt what the answer consists of.
func asksFor(text string) qa.Kind {
	switch {
	case strings.Contains(text, "Answer(ranking"), strings.Contains(text, `"ranking":`),
		strings.Contains(text, "JSON list of the ids of the documents"):
		return qa.Rank
	case strings.Contains(text, "Answer(answer: Any, evidence"), strings.Contains(text, `"evidence":`):
		return qa.WithEvidence
	}
	return ""
}

// final are the arguments of the last call, for an answer. It cites two passages at most.
func (t *task) final(value python.Value) map[string]any {
	ids := python.List{}
	byScore := func(a, b item) int { return cmp.Compare(t.sum(b.text), t.sum(a.text)) }
	for _, it := range slices.SortedStableFunc(slices.Values(t.items), byScore) {
		if m := idPattern.FindStringSubmatch(it.text); m != nil && !slices.Contains(ids, python.Value(m[1])) {
			ids = append(ids, m[1])
		}
	}
	switch t.kind {
	case qa.Rank:
		return map[string]any{"ranking": ids}
	case qa.WithEvidence:
		return map[string]any{"answer": value, "evidence": ids[:min(2, len(ids))]}
	}
	return map[string]any{"answer": value}
}
