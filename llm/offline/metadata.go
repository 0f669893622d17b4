package offline

import (
	"fmt"
	"regexp"
	"strings"

	"airqa/llm/offline/task"
	"airqa/llm/offline/words"
)

// fields are the things that are counted or read in the table metadata, or counted in another, by the word that asks
// for them.
var fields = []struct{ word, expression string }{
	{"pages?", "num_pages"},
	{"authors?", "len(authors)"},
	{"keywords?|tags?", "len(tags)"},
	{"figures?|images?", "(SELECT count(*) FROM images WHERE ref_paper_id = paper_id)"},
	{"tables?", "(SELECT count(*) FROM tables WHERE ref_paper_id = paper_id)"},
	{"(?:numbered |display )?(?:equations?|formulas?)", "(SELECT count(*) FROM equations WHERE ref_paper_id = paper_id)"},
	{"references?|works", `(SELECT count(*) FROM "reference" WHERE ref_paper_id = paper_id)`},
	{"(?:top-level )?sections?", "(SELECT count(*) FROM sections WHERE ref_paper_id = paper_id)"},
}

// facts are single values of a paper, by the words that ask for them.
var facts = []struct {
	pattern    *regexp.Regexp
	expression string
}{
	{regexp.MustCompile(`(?i)\bfirst author\b`), "authors[1]"},
	{regexp.MustCompile(`(?i)\blast author\b`), "authors[len(authors)]"},
	{regexp.MustCompile(`(?i)\bwho (?:wrote|are the authors)|\bauthors of (?:the|this) .*paper`), "authors"},
	{regexp.MustCompile(`(?i)\b(?:which|what) year .*\b(?:published|presented|appear)|\byear of publication`), "pub_year"},
	{regexp.MustCompile(`(?i)\bwhich (?:conference|venue)|\bwhat (?:conference|venue)|\bwhere was .* published`), "conference_full"},
}

var (
	countPattern   = regexp.MustCompile(`(?i)\bhow many (pages?|authors?|keywords?|tags?|figures?|images?|tables?|equations?|references?|sections?) (?:does|do|are|is|has|have)\b`)
	papersPattern  = regexp.MustCompile(`(?i)\bhow many papers\b`)
	boundPattern   = regexp.MustCompile(`(?i)\b(more than|over|at least|fewer than|less than|under|at most|exactly) (\w+) (\w+)`)
	mostPattern    = regexp.MustCompile(`(?i)\b(largest|greatest|highest|most|longest|smallest|fewest|least|lowest|shortest)\s+(?:number of\s+)?(\w+)`)
	bothPattern    = regexp.MustCompile(`(?i)\bboth\b`)
	authorsPattern = regexp.MustCompile(`(?i)\bauthors?\b|^who\b`)
	citesPattern   = regexp.MustCompile(`(?i)\bcites? (?:another|a|an other) (?:paper|work)|\bcites? (?:each other|one of)`)
)

// beyond are words that ask for what the table metadata does not hold.
var beyond = regexp.MustCompile(`(?i)corresponding|institut|affiliat|e-?mail|contact|cited|\?.+\?`)

func field(word string) string {
	for _, f := range fields {
		if regexp.MustCompile(`(?i)^(?:` + f.word + `)$`).MatchString(word) {
			return f.expression
		}
	}
	return ""
}

// metadataSQL answers a question that the tables answer by themselves, under the column "answer". It is empty for
// any other question.
func (p policy) metadataSQL() string {
	if len(p.Papers) == 0 {
		return p.collectionSQL()
	}
	for _, f := range facts {
		if f.pattern.MatchString(p.Question) && !beyond.MatchString(p.Question) {
			return p.factSQL(f.expression)
		}
	}
	if m := countPattern.FindStringSubmatch(p.Question); m != nil && (p.Want.Class == task.AsInteger || p.Want.Class == task.AsList) {
		return p.factSQL(field(m[1]))
	}
	return ""
}

func (p policy) factSQL(expression string) string {
	return fmt.Sprintf("SELECT %s AS answer, paper_id FROM metadata WHERE paper_id IN (%s)", expression, literals(p.Papers))
}

// collectionSQL answers questions over all papers of the conferences.
func (p policy) collectionSQL() string {
	q := p.Question
	bound := boundPattern.FindStringSubmatch(q)
	switch {
	case papersPattern.MatchString(q):
		return fmt.Sprintf("SELECT count(*) AS answer FROM metadata WHERE %s%s", p.inScope(), condition(bound))
	case bothPattern.MatchString(q) && authorsPattern.MatchString(q) && len(p.Scopes) > 1:
		return fmt.Sprintf("SELECT name AS answer FROM (SELECT unnest(authors) AS name, conference_abbreviation || pub_year AS venue FROM metadata WHERE %s) "+
			"GROUP BY name HAVING count(DISTINCT venue) > 1 ORDER BY name", p.inScope())
	case p.WantsPaper():
		return p.paperSQL(bound)
	}
	return ""
}

// paperSQL finds papers by what the tables say of them; it is empty when the question asks for what they are about.
func (p policy) paperSQL(bound []string) string {
	shown := "title"
	if p.Want.Class == task.AsUUID {
		shown = "paper_id"
	}
	most := mostPattern.FindStringSubmatch(p.Question)
	switch {
	case most != nil && field(most[2]) != "":
		return fmt.Sprintf("SELECT %s AS answer, %s AS n FROM metadata WHERE %s ORDER BY n %s, title LIMIT 1",
			shown, field(most[2]), p.inScope(), direction(most[1]))
	case citesPattern.MatchString(p.Question):
		return fmt.Sprintf(`SELECT DISTINCT m.%s AS answer FROM (SELECT * FROM metadata WHERE %s) m JOIN "reference" r ON r.ref_paper_id = m.paper_id `+
			"JOIN (SELECT * FROM metadata WHERE %s) o ON o.paper_id <> m.paper_id AND r.reference_content ILIKE '%%' || o.title || '%%' ORDER BY answer",
			shown, p.inScope(), p.inScope())
	case condition(bound) != "":
		return fmt.Sprintf("SELECT %s AS answer FROM metadata WHERE %s%s ORDER BY title", shown, p.inScope(), condition(bound))
	}
	return ""
}

var operators = map[string]string{
	"more than": ">", "over": ">", "at least": ">=", "fewer than": "<", "less than": "<", "under": "<", "at most": "<=", "exactly": "=",
}

// condition turns "more than three pages" into SQL; it is empty when the words mean nothing to the tables.
func condition(m []string) string {
	if m == nil || field(m[3]) == "" {
		return ""
	}
	n, ok := words.Count(m[2])
	if !ok {
		return ""
	}
	return fmt.Sprintf(" AND %s %s %d", field(m[3]), operators[strings.ToLower(m[1])], n)
}

func direction(word string) string {
	switch strings.ToLower(word) {
	case "smallest", "fewest", "least", "lowest", "shortest":
		return "ASC"
	}
	return "DESC"
}
