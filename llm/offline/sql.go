package offline

import (
	"fmt"
	"strconv"
	"strings"

	"airqa/llm/offline/task"
	"airqa/llm/offline/words"
)

// literal writes an SQL string literal.
func literal(s string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, "\x00", ""), "'", "''") + "'"
}

func literals(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = literal(s)
	}
	return strings.Join(quoted, ", ")
}

// hits is an SQL expression that counts how many of the words occur in a column.
func hits(column string, terms []string) string {
	var list []string
	for _, w := range terms {
		if w = prefix(w); len(w) > 2 && len(list) < 12 {
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		return "0"
	}
	return fmt.Sprintf("len(list_filter([%s], w -> contains(lower(%s), w)))", literals(list), column)
}

// prefix is what a word and its stem begin with, so that "smoothing" finds "smoothed".
func prefix(word string) string {
	word = strings.ToLower(word)
	s, n := words.Stem(word), 0
	for n < len(s) && n < len(word) && s[n] == word[n] {
		n++
	}
	if n < 4 {
		return word
	}
	return word[:n]
}

// inScope is the condition that a paper belongs to the conferences of the question.
func (p policy) inScope() string {
	var any []string
	for _, s := range p.Scopes {
		c := "conference_abbreviation ILIKE " + literal(s.Name)
		if _, err := strconv.Atoi(s.Year); err == nil {
			c += " AND pub_year = " + s.Year
		}
		any = append(any, "("+c+")")
	}
	if len(any) == 0 {
		return "TRUE"
	}
	return "(" + strings.Join(any, " OR ") + ")"
}

// among is the condition that a row belongs to the papers that the question is about: those that it names or that were
// found, and else the one whose title and abstract hold most of its words.
func (p policy) among(column string) string {
	if ids := p.located(); len(ids) > 0 {
		return column + " IN (" + literals(ids) + ")"
	}
	if p.Wide() {
		return fmt.Sprintf("%s IN (SELECT paper_id FROM metadata WHERE %s)", column, p.inScope())
	}
	return fmt.Sprintf("%s IN (SELECT paper_id FROM metadata WHERE %s ORDER BY %s DESC, title LIMIT 1)",
		column, p.inScope(), hits("concat(title, ' ', abstract)", p.Terms(p.Question)))
}

// papersSQL looks for papers by title and abstract.
func (p policy) papersSQL() string {
	where := p.inScope()
	if names := words.Names(p.Question); len(p.Papers) > 0 && len(names) > 0 {
		var any []string
		for _, n := range names {
			any = append(any, "title ILIKE "+literal("%"+n+"%"))
		}
		where = "(" + strings.Join(any, " OR ") + ")"
	}
	return fmt.Sprintf("SELECT paper_id, title, abstract, %s AS hits FROM metadata WHERE %s ORDER BY hits DESC, title LIMIT 6",
		hits("concat(title, ' ', abstract)", p.Terms(p.Question)), where)
}

// passagesSQL looks for passages by their words.
func (p policy) passagesSQL() string {
	return p.rows("chunks", "r.text_content AS text", "r.text_content")
}

// rows selects from one of the tables whose rows stand on a page, those with most words of the question first.
func (p policy) rows(table, shown, searched string) string {
	return fmt.Sprintf("SELECT %s, r.ref_paper_id AS paper_id, p.page_number, %s AS hits FROM %s r JOIN pages p ON r.ref_page_id = p.page_id "+
		"WHERE %s ORDER BY hits DESC, r.ordinal LIMIT 6", shown, hits(searched, p.Terms(p.Question)), table, p.among("r.ref_paper_id"))
}

// detailSQL looks where the question says that the answer stands: captions, tables, equations or headings. It is
// empty when the question names no such place.
func (p policy) detailSQL() string {
	switch p.Place() {
	case task.IsFigure:
		return p.captionSQL("images", "image_caption", "")
	case task.IsTable:
		return p.captionSQL("tables", "table_caption", "r.table_content, ")
	case task.IsEquation:
		return p.rows("equations", "r.equation_content", "r.equation_content")
	case task.IsPassage:
		if p.wantsTable() {
			return p.rows("tables", "r.table_caption, r.table_content", "concat(r.table_caption, ' ', r.table_content)")
		}
	case task.IsSection:
		return fmt.Sprintf("SELECT section_title, section_content[:600] AS section_content, ref_paper_id AS paper_id, %s AS hits FROM sections "+
			"WHERE %s ORDER BY ordinal LIMIT 40", hits("concat(section_title, ' ', section_content)", p.Terms(p.Question)), p.among("ref_paper_id"))
	}
	return ""
}

func (p policy) captionSQL(table, caption, more string) string {
	rows := p.rows(table, "r."+caption+", "+more+"r.bounding_box", "r."+caption)
	if name, n, _ := strings.Cut(p.NumberedObject(), " "); n != "" && (name == "Table") == (table == "tables") {
		starts := fmt.Sprintf("WHERE (r.%[1]s ILIKE %[2]s OR r.%[1]s ILIKE %[3]s) AND ", caption, literal(name+" "+n+"%"), literal(name[:3]+"%. "+n+"%"))
		rows = strings.Replace(rows, "WHERE ", starts, 1)
	}
	return rows
}

// simplerSQL stands in for a statement that failed or found nothing.
func (p policy) simplerSQL() string {
	if ids := p.located(); len(ids) > 0 {
		return fmt.Sprintf("SELECT page_content AS text, ref_paper_id AS paper_id, page_number FROM pages WHERE ref_paper_id IN (%s) ORDER BY %s DESC, page_number LIMIT 3",
			literals(ids), hits("page_content", p.Terms(p.Question)))
	}
	return fmt.Sprintf("SELECT paper_id, title, abstract FROM metadata ORDER BY %s DESC, title LIMIT 6",
		hits("title", p.Terms(p.Question)))
}
