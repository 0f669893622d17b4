package diff

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// spacedToken is a part of a statement that stays as it is.
type spacedToken struct {
	sqlToken
	// spaced means that whitespace comes before it.
	spaced bool
}

// shortSQL is the number of characters up to which a statement stays on one line.
const shortSQL = 60

// SQLLines lays out a statement: a line for each clause, indented by two spaces in a subquery, for each condition, and for
// each column of a long list. A short statement stays on one line. It knows the words of DuckDB's SELECT, not its grammar: any
// text is accepted, and only whitespace changes.
func SQLLines(sql string) []string {
	var list []spacedToken
	spaced := false
	for t := range sqlTokens(sql) {
		if strings.TrimSpace(t.text) == "" {
			spaced = true
			continue
		}
		ended := strings.HasSuffix(t.text, "\n")
		t.text = strings.TrimRight(t.text, "\r\n")
		list = append(list, spacedToken{t, spaced})
		spaced = ended
	}
	w := sqlWriter{list: list, levels: []level{{query: true}}}
	comment := slices.ContainsFunc(list, func(t spacedToken) bool { return strings.HasPrefix(t.text, "--") })
	w.flat = !comment && len(sql) <= shortSQL
	for i := range list {
		w.put(i)
	}
	return append(w.lines, w.line)
}

// level is an open parenthesis; the first one is the statement.
type level struct {
	// query means that a query is inside, so that its clauses get lines.
	query bool
	// indent is the indentation of its clauses.
	indent int
	// clause is the word that began the current clause; between counts BETWEEN without its AND.
	clause  string
	between int
}

// condition reports whether a word begins a further condition of the clause.
func (l *level) condition(word string) bool {
	return l.query && (word == "AND" || word == "OR") && conditionClauses[l.clause]
}

type sqlWriter struct {
	list   []spacedToken
	levels []level
	lines  []string
	line   string
	// flat keeps everything on one line.
	flat bool
}

func (w *sqlWriter) top() *level { return &w.levels[len(w.levels)-1] }

func (w *sqlWriter) put(i int) {
	t, l := w.list[i], w.top()
	word := t.upper()
	switch {
	case t.text == ")" && len(w.levels) > 1:
		w.levels = w.levels[:len(w.levels)-1]
		if l.query {
			w.feed(l.indent - 2)
		}
	case l.query && w.clause(i):
		l.clause = word
		w.feed(l.indent)
	case word == "BETWEEN":
		l.between++
	case word == "AND" && l.between > 0:
		l.between--
	case l.condition(word):
		w.feed(l.indent + 2)
	}
	if t.spaced && strings.TrimSpace(w.line) != "" {
		w.line += " "
	}
	w.line += t.text
	w.after(i)
}

// after opens a level, or ends the line after a comment or a column of a long list.
func (w *sqlWriter) after(i int) {
	t, l := w.list[i], w.top()
	switch {
	case t.text == "(":
		next := level{indent: l.indent}
		if i+1 < len(w.list) && slices.Contains([]string{"SELECT", "WITH"}, w.list[i+1].upper()) {
			next.query, next.indent = true, l.indent+2
		}
		w.levels = append(w.levels, next)
	case strings.HasPrefix(t.text, "--"):
		w.feed(l.indent + 2)
	case t.text == "," && l.query && utf8.RuneCountInString(w.line) > shortSQL:
		w.feed(l.indent + 2)
	}
}

// feed begins a line, unless the current one is empty.
func (w *sqlWriter) feed(indent int) {
	if w.flat {
		return
	}
	if strings.TrimSpace(w.line) != "" {
		w.lines = append(w.lines, w.line)
	}
	w.line = strings.Repeat(" ", max(indent, 0))
}

var conditionClauses = map[string]bool{"WHERE": true, "HAVING": true, "QUALIFY": true, "ON": true}

// clauses begin a clause by themselves; joins if JOIN follows; grouping if BY follows.
var (
	clauses  = []string{"SELECT", "FROM", "WHERE", "HAVING", "QUALIFY", "LIMIT", "OFFSET", "UNION", "INTERSECT", "EXCEPT", "WITH", "JOIN", "VALUES"}
	joins    = []string{"LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "SEMI", "ANTI", "ASOF", "POSITIONAL"}
	grouping = []string{"GROUP", "ORDER"}
)

// clause reports whether a clause begins at a token. The second word of "LEFT JOIN" or "UNION SELECT" does not begin a line.
func (w *sqlWriter) clause(i int) bool {
	word, before := w.list[i].upper(), ""
	if i > 0 {
		before = w.list[i-1].upper()
	}
	next := func(want string, within int) bool {
		return slices.ContainsFunc(w.list[i+1:min(i+1+within, len(w.list))], func(t spacedToken) bool { return t.upper() == want })
	}
	switch {
	case slices.Contains(joins, word):
		return !slices.Contains(joins, before) && next("JOIN", 2)
	case slices.Contains(grouping, word):
		return next("BY", 1)
	case word == "JOIN":
		return before != "OUTER" && !slices.Contains(joins, before)
	case word == "FROM":
		return before != "DISTINCT"
	case word == "ON":
		w.top().clause = word // a condition, on the line of its join
	}
	return slices.Contains(clauses, word)
}
