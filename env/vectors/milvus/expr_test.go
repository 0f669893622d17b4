package milvus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/env/vectors"
)

func TestExpression(t *testing.T) {
	tests := []struct {
		name   string
		filter vectors.Filter
		want   string
	}{
		{"zero", vectors.Filter{}, `id >= 0`},
		{"one paper", vectors.Filter{Papers: []string{"a"}}, `pdf_id == "a"`},
		{"papers", vectors.Filter{Papers: []string{"b", "a", "b"}}, `pdf_id in ["a", "b"]`},
		{"page", vectors.Filter{Page: -1}, `page_number == -1`},
		{
			"all parts",
			vectors.Filter{Papers: []string{"a"}, Table: "t", Column: "c", Page: 3},
			`pdf_id == "a" and table_name == "t" and column_name == "c" and page_number == 3`,
		},
		{"quotes", vectors.Filter{Table: `a" or id >= 0 or "`}, `table_name == "a\" or id >= 0 or \""`},
		{"backslashes", vectors.Filter{Table: `a\`, Column: `\" or 1 == 1`}, `table_name == "a\\" and column_name == "\\\" or 1 == 1"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, expression(tt.filter)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSpan(t *testing.T) {
	s := span{first: 5, count: 3}
	if got, want := s.inside()+" | "+s.outside(), "id >= 5 and id < 8 | (id < 5 or id >= 8)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A filter with hostile text round-trips: nothing in it becomes an operator.
func TestExpressionReadsBack(t *testing.T) {
	text := rapid.StringOfN(rapid.OneOf(rapid.SampledFrom([]rune(`"'\ ()[],=<>%_ordnt`)), rapid.Rune()), 1, 30, -1)
	rapid.Check(t, func(t *rapid.T) {
		f := vectors.Filter{
			Papers: rapid.SliceOfN(text, 0, 4).Draw(t, "papers"),
			Table:  rapid.OneOf(rapid.Just(""), text).Draw(t, "table"),
			Column: rapid.OneOf(rapid.Just(""), text).Draw(t, "column"),
			Page:   rapid.SampledFrom([]int{vectors.AnyPage, -1, 1, 32767}).Draw(t, "page"),
		}
		if f.Check() != nil {
			t.Skip("the contract refuses it")
		}
		slices.Sort(f.Papers)
		f.Papers = slices.Compact(f.Papers)
		got, err := parse(expression(f))
		if err != nil {
			t.Fatalf("%s: %v", expression(f), err)
		}
		if len(f.Papers) == 0 {
			f.Papers = nil
		}
		if diff := cmp.Diff(f, got); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", expression(f), diff)
		}
	})
}

// parse accepts exactly the output of expression, with the servers' rule for constants.
func parse(expr string) (vectors.Filter, error) {
	var f vectors.Filter
	if expr == everything {
		return f, nil
	}
	p := parser{rest: expr}
	for first := true; p.rest != ""; first = false {
		if !first {
			p.take(" and ")
		}
		switch {
		case p.has(fieldPaper + " in ["):
			for more := true; more; more = p.has(", ") {
				f.Papers = append(f.Papers, p.literal())
			}
			p.take("]")
		case p.has(fieldPaper + " == "):
			f.Papers = []string{p.literal()}
		case p.has(fieldTable + " == "):
			f.Table = p.literal()
		case p.has(fieldColumn + " == "):
			f.Column = p.literal()
		case p.has(fieldPage + " == "):
			f.Page = p.number()
		default:
			p.take("a field")
		}
		if p.err != nil {
			return f, p.err
		}
	}
	return f, nil
}

type parser struct {
	rest string
	err  error
}

func (p *parser) has(s string) bool {
	rest, ok := strings.CutPrefix(p.rest, s)
	p.rest = rest
	return ok
}

func (p *parser) take(s string) {
	if !p.has(s) {
		p.err = fmt.Errorf("want %q at %q", s, p.rest)
	}
}

func (p *parser) literal() string {
	p.take(`"`)
	var b strings.Builder
	for i := 0; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '"':
			p.rest = p.rest[i+1:]
			return b.String()
		case c == '\\' && i+1 < len(p.rest) && strings.IndexByte(`\"`, p.rest[i+1]) >= 0:
			i++
			b.WriteByte(p.rest[i])
		case c == '\\':
			p.err = fmt.Errorf("an escape that servers read differently at %q", p.rest[i:])
			return ""
		default:
			b.WriteByte(c)
		}
	}
	p.err = fmt.Errorf("a constant without an end")
	return ""
}

func (p *parser) number() int {
	end := strings.IndexByte(p.rest, ' ')
	if end < 0 {
		end = len(p.rest)
	}
	n, err := strconv.Atoi(p.rest[:end])
	p.rest, p.err = p.rest[end:], err
	return n
}
