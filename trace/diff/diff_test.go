package diff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/qa"
	"airqa/runlog"
	"airqa/trace/diff"
)

// step is a step by its action and its result; an empty result is none.
func step(n int, name string, args map[string]any, result string) qa.Step {
	s := qa.Step{
		N: n, By: qa.ByModel, Reply: &qa.Reply{Text: name},
		Action: &qa.Action{Name: name, Args: args, Text: fmt.Sprint(name, args)},
	}
	if result != "" {
		s.Observation = &qa.Observation{Status: qa.StatusOK, Text: result}
	}
	return s
}

func recorded(steps ...qa.Step) runlog.Recorded {
	for i := range steps {
		steps[i].N = i + 1
	}
	return runlog.Recorded{Trajectory: qa.Trajectory{Episode: "u#0", UUID: "u", Steps: steps}}
}

// trajectory writes steps as "q1=r q2=s answer": the first letter is the function, the rest the argument, and what
// follows "=" is the result.
func trajectory(text string) runlog.Recorded {
	names := map[byte]string{'q': "Query", 'r': "Retrieve", 'a': "Answer"}
	var steps []qa.Step
	for word := range strings.FieldsSeq(text) {
		action, result, _ := strings.Cut(word, "=")
		if action[0] == 'x' {
			steps = append(steps, qa.Step{
				By: qa.ByModel, Reply: &qa.Reply{Text: action}, ParseError: &qa.ParseError{Kind: qa.ErrSyntax, Reason: action},
				Observation: &qa.Observation{Status: qa.StatusParse, Text: action},
			})
			continue
		}
		steps = append(steps, step(0, names[action[0]], map[string]any{"query": action[1:]}, result))
	}
	return recorded(steps...)
}

// lines writes the pairs of a diff, and its two points.
func lines(d diff.Diff) []string {
	var list []string
	for _, p := range d.Pairs {
		var a, b int
		if p.A != nil {
			a = p.A.N
		}
		if p.B != nil {
			b = p.B.N
		}
		list = append(list, fmt.Sprintf("%d-%d %s", a, b, p.Kind))
	}
	return list
}

func point(p *diff.Point) string {
	if p == nil {
		return "none"
	}
	return fmt.Sprintf("%d-%d", p.A, p.B)
}

func TestOf(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       []string
		action     string
		result     string
		diverged   diff.Divergence
	}{
		{
			"equal", "q1=x r2=y a3", "q1=x r2=y a3",
			[]string{"1-1 equal", "2-2 equal", "3-3 equal"},
			"none", "none", diff.Never,
		},
		{
			"another answer", "q1=x a3", "q1=x a4",
			[]string{"1-1 equal", "2-2 changed_args"},
			"2-2", "none", diff.Never,
		},
		{
			"another result", "q1=x r2=y a3", "q1=z r2=y a3",
			[]string{"1-1 other_result", "2-2 equal", "3-3 equal"},
			"none", "1-1", diff.AfterResult,
		},
		{
			"an action more", "q1=x r2=y q4=z a3", "q1=x q9=w r2=y q4=z a3",
			[]string{"1-1 equal", "0-2 only_b", "2-3 equal", "3-4 equal", "4-5 equal"},
			"2-2", "2-2", diff.Later,
		},
		{
			"other arguments, same result", "q1=x a3", "q2=x a3",
			[]string{"1-1 changed_args", "2-2 equal"},
			"1-1", "none", diff.AtFirst,
		},
		{
			"another function", "q1=x a3", "r1=y a3",
			[]string{"1-0 only_a", "0-1 only_b", "2-2 equal"},
			"1-1", "1-1", diff.AtFirst,
		},
		{
			"a result first, an action later", "q1=x q2=y a3", "q1=z r2=w a3",
			[]string{"1-1 other_result", "2-0 only_a", "0-2 only_b", "3-3 equal"},
			"2-2", "1-1", diff.AfterResult,
		},
		{
			"no answer on one side", "q1=x a3", "q1=x",
			[]string{"1-1 equal", "2-0 only_a"},
			"2-0", "none", diff.Never,
		},
		{
			"unreadable replies", "x1 q1=x a1", "x2 q1=x a1",
			[]string{"1-1 changed_args", "2-2 equal", "3-3 equal"},
			"1-1", "1-1", diff.AtFirst,
		},
		{"nothing", "", "", nil, "none", "none", diff.Never},
		{"an empty side", "", "q1=x", []string{"0-1 only_b"}, "0-1", "0-1", diff.AtFirst},
		{
			"repeated actions keep their order while the actions are equal", "q1=x q1=y a1", "q1=x q1=z q1=y a1",
			[]string{"1-1 equal", "2-2 other_result", "0-3 only_b", "3-4 equal"},
			"3-3", "2-2", diff.AfterResult,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := diff.Of(trajectory(tt.a), trajectory(tt.b))
			if diff := cmp.Diff(tt.want, lines(d)); diff != "" {
				t.Errorf("pairs (-want +got):\n%s", diff)
			}
			if got := point(d.FirstAction); got != tt.action {
				t.Errorf("first action %s, want %s", got, tt.action)
			}
			if got := point(d.FirstResult); got != tt.result {
				t.Errorf("first result %s, want %s", got, tt.result)
			}
			if d.Diverged != tt.diverged {
				t.Errorf("diverged %s, want %s", d.Diverged, tt.diverged)
			}
		})
	}
}

// Actions are equal whatever the layout of their arguments.
func TestSameAction(t *testing.T) {
	const x, y = "00608f20-e3f5-5fdc-8979-4efeb0756d8e", "1e6bccdd-a993-5259-96f9-8ef06c7057c1"
	tests := []struct {
		name, arg string
		a, b      any
		same      bool
	}{
		{"layout", "sql", "SELECT a,b FROM t WHERE x=1;", "select a, b\n  from t where x = 1", true},
		{"comments", "sql", "SELECT 1 -- one\n+ 1", "SELECT 1 /* one */ + 1 ; ", true},
		{"a literal", "sql", "SELECT 'from  x'", "SELECT 'FROM  x'", false},
		{"whitespace in a literal", "sql", "SELECT 'a b'", "SELECT 'a  b'", false},
		{"a doubled quote", "sql", "SELECT 'it''s' FROM t", "SELECT 'it''s'  from t", true},
		{"a quoted name", "sql", `SELECT "From"`, `SELECT "from"`, false},
		{"a dollar literal", "sql", "SELECT $$a  b$$", "SELECT $$a b$$", false},
		{"a name", "sql", "SELECT Title FROM t", "SELECT title FROM t", false},
		{"order of a list", "sql", "x IN ('b', 'a',  'c')", "x in ('c','a','b')", true},
		{"order of a subquery", "sql", "x IN (SELECT a, b)", "x IN (SELECT b, a)", false},
		{"order of columns", "sql", "SELECT a, b", "SELECT b, a", false},
		{"operators", "sql", "a<=b", "a < = b", false},
		{"decimals", "sql", "a > 1.5e3", "a>1.5e3", true},
		{"unfinished", "sql", "SELECT 'a", "SELECT 'a", true},
		{"whitespace in a query", "query", "window  size\n", "window size", true},
		{"case in a query", "query", "Window size", "window size", false},
		{"whitespace elsewhere", "answer", "a  b", "a b", false},
		{"numbers", "limit", int64(5), 5.0, true},
		{"other numbers", "limit", int64(5), 5.5, false},
		{"a number and a text", "limit", int64(5), "5", false},
		{"ids", "ids", []any{x, y}, []any{y, x}, true},
		{"a box", "bounding_box", []any{int64(1), int64(2)}, []any{int64(2), int64(1)}, false},
		{"a box of floats", "bounding_box", []any{int64(1), int64(2)}, []any{1.0, 2.0}, true},
		{"names", "names", []any{"a", "b"}, []any{"b", "a"}, false},
		{"nothing and a text", "answer", nil, "None", false},
		{"a dictionary", "answer", map[string]any{"a": true, "b": 1.0}, map[string]any{"b": int64(1), "a": true}, true},
		{"nested", "answer", []any{[]any{"a"}, "b"}, []any{"a", []any{"b"}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := diff.Of(recorded(step(1, "Query", map[string]any{tt.arg: tt.a}, "r")), recorded(step(1, "Query", map[string]any{tt.arg: tt.b}, "r")))
			if same := d.FirstAction == nil; same != tt.same {
				t.Errorf("same %v, want %v: %+v", same, tt.same, d.Pairs[0])
			}
			if !tt.same && !slices.Equal(d.Pairs[0].Arguments, []string{tt.arg}) {
				t.Errorf("arguments %q", d.Pairs[0].Arguments)
			}
		})
	}
}

func TestResults(t *testing.T) {
	rows := func(text string, hits ...string) *qa.Observation {
		o := &qa.Observation{Status: qa.StatusOK, Text: text}
		for i, id := range hits {
			o.Hits = append(o.Hits, qa.Hit{Rank: i + 1, ID: id})
		}
		return o
	}
	cut := rows("a\nb\n(2 of 5 rows shown)")
	cut.Cut = &qa.Cut{RowsShown: 2}
	shorter := rows("a\n(1 of 5 rows shown)")
	shorter.Cut = &qa.Cut{RowsShown: 1}
	failed := rows("[Error]: no")
	failed.Status = qa.StatusError
	image := rows("Page 1")
	image.Images = []qa.Image{{SHA256: "ab"}}
	tests := []struct {
		name string
		a, b *qa.Observation
		want *diff.Change
	}{
		{"none", nil, nil, nil},
		{"equal", rows("a"), rows("a"), nil},
		{"missing", rows("a"), nil, &diff.Change{What: diff.Missing, A: "a"}},
		{"a line", rows("a\nbé1\nc"), rows("a\nbé2\nc"), &diff.Change{What: diff.ChangedText, Line: 2, Byte: 5, A: "bé1", B: "bé2"}},
		{"a line more", rows("a"), rows("a\nb"), &diff.Change{What: diff.ChangedText, Line: 1, Byte: 1, A: "a", B: "a"}},
		{"lines in another order", rows("a\nb\n(2 rows)"), rows("b\na\n(2 rows)"), &diff.Change{What: diff.ChangedOrder, Line: 1, A: "a", B: "b"}},
		{"hits in another order", rows("1 x\n2 y", "x", "y"), rows("1 y\n2 x", "y", "x"), &diff.Change{What: diff.ChangedOrder, Line: 1, Byte: 2, A: "1 x", B: "1 y"}},
		{"other hits", rows("x", "x"), rows("y", "y"), &diff.Change{What: diff.ChangedText, Line: 1, A: "x", B: "y"}},
		{"cut elsewhere", cut, shorter, &diff.Change{What: diff.ChangedCut, Line: 2, Byte: 2, A: "b", B: "(1 of 5 rows shown)"}},
		{"an error", rows("a"), failed, &diff.Change{What: diff.ChangedStatus, A: "ok: a", B: "error: [Error]: no"}},
		{"an image", rows("Page 1"), image, &diff.Change{What: diff.ChangedImages, B: "ab"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, diff.Results(tt.a, tt.b)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A long line is shown around the difference, without a broken character.
func TestExcerpt(t *testing.T) {
	text := strings.Repeat("é", 500)
	c := diff.Texts(text+"1"+text, text+"2"+text)
	for _, part := range []string{c.A, c.B} {
		if n := len([]rune(part)); n > 80 || !strings.HasPrefix(part, "…é") || !strings.HasSuffix(part, "é…") || strings.Contains(part, "\ufffd") {
			t.Errorf("%d characters: %q", n, part)
		}
	}
}

// What was different before the first step is listed by message.
func TestPrompt(t *testing.T) {
	a, b := trajectory("q1=x"), trajectory("q1=x")
	a.Messages = []qa.Message{{Role: qa.System, Text: "one\ntwo"}, {Role: qa.User, Text: "?"}, {Role: qa.Assistant, Text: "a"}}
	b.Messages = []qa.Message{{Role: qa.System, Text: "one\n2"}, {Role: qa.User, Text: "?"}, {Role: qa.User, Text: "!"}, {Role: qa.Assistant, Text: "b"}}
	want := []diff.PromptChange{
		{Message: 0, Role: qa.System, Change: diff.Change{What: diff.ChangedText, Line: 2, Byte: 4, A: "two", B: "2"}},
		{Message: 2, Role: qa.User, Change: diff.Change{What: diff.Missing, B: "!"}},
	}
	if diff := cmp.Diff(want, diff.Of(a, b).Prompt); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// someSteps draws a trajectory of few actions, so that some are repeated.
func someSteps(t *rapid.T, name string) []qa.Step {
	return rapid.SliceOfN(rapid.Custom(someStep), 0, 12).Draw(t, name)
}

func someStep(t *rapid.T) qa.Step {
	function := rapid.SampledFrom([]string{"Query", "Retrieve", "View", ""}).Draw(t, "function")
	n := rapid.IntRange(0, 2).Draw(t, "argument")
	s := step(0, function, map[string]any{"x": int64(n)}, rapid.SampledFrom([]string{"r", "s"}).Draw(t, "result"))
	if function == "" {
		s.Action, s.ParseError = nil, &qa.ParseError{Reason: fmt.Sprint(n)}
	}
	return s
}

func copied(steps []qa.Step) runlog.Recorded { return recorded(slices.Clone(steps)...) }

// A trajectory does not differ from itself.
func TestSelf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := someSteps(t, "a")
		d := diff.Of(copied(steps), copied(steps))
		if d.FirstAction != nil || d.FirstResult != nil || d.Diverged != diff.Never || count(d, diff.Equal) != len(steps) || len(d.Pairs) != len(steps) {
			t.Fatalf("%v", lines(d))
		}
	})
}

// Every step of both sides appears once and in order, with the kind that its pair has.
func TestWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := someSteps(t, "a"), someSteps(t, "b")
		var n, m int
		for _, p := range diff.Of(copied(a), copied(b)).Pairs {
			if p.A != nil {
				if n++; p.A.N != n {
					t.Fatalf("step %d of A in place of %d", p.A.N, n)
				}
			}
			if p.B != nil {
				if m++; p.B.N != m {
					t.Fatalf("step %d of B in place of %d", p.B.N, m)
				}
			}
			if want := kindOf(p, a, b); p.Kind != want {
				t.Fatalf("kind %s, want %s", p.Kind, want)
			}
		}
		if n != len(a) || m != len(b) {
			t.Fatalf("%d of %d and %d of %d steps", n, len(a), m, len(b))
		}
	})
}

func kindOf(p diff.Pair, a, b []qa.Step) diff.Kind {
	switch {
	case p.A == nil:
		return diff.OnlyB
	case p.B == nil:
		return diff.OnlyA
	}
	x, y := a[p.A.N-1], b[p.B.N-1]
	switch {
	case !cmp.Equal(x.Action, y.Action) || !cmp.Equal(x.ParseError, y.ParseError):
		return diff.ChangedArgs
	case x.Observation.Text != y.Observation.Text:
		return diff.OtherResult
	}
	return diff.Equal
}

// As many steps are paired as in the shortest edit script.
func TestShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := someSteps(t, "a"), someSteps(t, "b")
		if got, want := count(diff.Of(copied(a), copied(b)), diff.Equal, diff.OtherResult), longest(a, b); got != want {
			t.Fatalf("%d equal actions, want %d", got, want)
		}
	})
}

// longest is the length of the longest common subsequence that begins with the common prefix, by the textbook.
func longest(a, b []qa.Step) int {
	same := func(x, y qa.Step) bool { return cmp.Equal(x.Action, y.Action) && cmp.Equal(x.ParseError, y.ParseError) }
	prefix := 0
	for prefix < min(len(a), len(b)) && same(a[prefix], b[prefix]) {
		prefix++
	}
	a, b = a[prefix:], b[prefix:]
	table := make([][]int, len(a)+1)
	table[0] = make([]int, len(b)+1)
	for i := range a {
		table[i+1] = make([]int, len(b)+1)
		for j := range b {
			table[i+1][j+1] = max(table[i][j+1], table[i+1][j])
			if same(a[i], b[j]) {
				table[i+1][j+1] = table[i][j] + 1
			}
		}
	}
	return prefix + table[len(a)][len(b)]
}

// The diff of B and A is that of A and B with the sides swapped.
func TestMirror(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := someSteps(t, "a"), someSteps(t, "b")
		there, back := diff.Of(copied(a), copied(b)), diff.Of(copied(b), copied(a))
		if diff := cmp.Diff(lines(there), mirrored(back)); diff != "" {
			t.Fatalf("pairs (-there +back):\n%s", diff)
		}
		if there.Diverged != back.Diverged {
			t.Fatalf("diverged %s and %s", there.Diverged, back.Diverged)
		}
		for _, p := range [][2]*diff.Point{{there.FirstAction, back.FirstAction}, {there.FirstResult, back.FirstResult}} {
			if (p[0] == nil) != (p[1] == nil) {
				t.Fatalf("points %v and %v", p[0], p[1])
			}
		}
	})
}

// mirrored are the lines of a diff with the sides swapped: steps without a counterpart come first on the left.
func mirrored(d diff.Diff) []string {
	kinds := map[diff.Kind]diff.Kind{diff.OnlyA: diff.OnlyB, diff.OnlyB: diff.OnlyA}
	m := diff.Diff{}
	var right []diff.Pair
	flush := func() { m.Pairs, right = append(m.Pairs, right...), nil }
	for _, p := range d.Pairs {
		swapped := diff.Pair{Kind: p.Kind, A: p.B, B: p.A}
		if k, ok := kinds[p.Kind]; ok {
			swapped.Kind = k
		}
		switch swapped.Kind {
		case diff.OnlyB:
			right = append(right, swapped)
		case diff.OnlyA:
			m.Pairs = append(m.Pairs, swapped)
		default:
			flush()
			m.Pairs = append(m.Pairs, swapped)
		}
	}
	flush()
	return lines(m)
}

// A step more on one side is one pair, and the other actions stay equal.
func TestInsertion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := someSteps(t, "a")
		at := rapid.IntRange(0, len(a)).Draw(t, "at")
		b := slices.Insert(slices.Clone(a), at, someStep(t))
		d := diff.Of(copied(a), copied(b))
		if count(d, diff.OnlyB) != 1 || count(d, diff.OnlyA, diff.ChangedArgs) != 0 || len(d.Pairs) != len(b) {
			t.Fatalf("%v", lines(d))
		}
	})
}

// long makes trajectories of n steps in which each action is one of some, with statements of usual length.
func long(n, actions, seed int) runlog.Recorded {
	steps := make([]qa.Step, n)
	x := uint64(seed)
	for i := range steps {
		x = x*6364136223846793005 + 1442695040888963407
		k := int(x>>33) % actions
		sql := fmt.Sprintf("SELECT title, num_pages FROM metadata WHERE paper_id IN ('b%d', 'a%d') AND year >= %d ORDER BY title LIMIT 5", k, k, k)
		steps[i] = step(i+1, "Query", map[string]any{"sql": sql}, fmt.Sprintf(`{"title": "paper %d", "num_pages": %d}`+"\n(1 row)", k, k))
	}
	return runlog.Recorded{Trajectory: qa.Trajectory{Steps: steps}}
}

// Two trajectories longer than one alignment are aligned in parts.
func TestVeryLong(t *testing.T) {
	const n = 40_000
	a := long(n, 1<<30, 1)
	b := recorded(slices.Insert(slices.Clone(a.Steps), 0, step(0, "Query", map[string]any{"sql": "SELECT 1"}, "x"))...)
	d := diff.Of(a, b)
	if count(d, diff.OnlyB) != 1 || count(d, diff.Equal) != n {
		t.Errorf("%d only in B, %d equal", count(d, diff.OnlyB), count(d, diff.Equal))
	}
}

func BenchmarkOf(b *testing.B) {
	tests := []struct {
		name string
		x, y runlog.Recorded
	}{
		{"equal", long(10_000, 1<<30, 1), long(10_000, 1<<30, 1)},
		{"nothing in common", long(10_000, 1<<30, 1), long(10_000, 1<<30, 2)},
		{"two actions", long(10_000, 2, 1), long(10_000, 2, 2)},
		{"500 actions", long(10_000, 500, 1), long(10_000, 500, 2)},
		{"10000 actions", long(10_000, 10_000, 1), long(10_000, 10_000, 2)},
	}
	for _, tt := range tests {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				diff.Of(tt.x, tt.y)
			}
		})
	}
}

// count returns the number of pairs of some kinds.
func count(d diff.Diff, kinds ...diff.Kind) int {
	n := 0
	for _, p := range d.Pairs {
		if slices.Contains(kinds, p.Kind) {
			n++
		}
	}
	return n
}
