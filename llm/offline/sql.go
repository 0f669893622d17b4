package offline

import (
	"fmt"
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
)

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
