package judge_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/qa"

	"github.com/google/go-cmp/cmp"
)

type judgeFunc func(context.Context, eval.JudgeRequest) (bool, error)

func (f judgeFunc) Judge(ctx context.Context, r eval.JudgeRequest) (bool, error) { return f(ctx, r) }

// errDead is the failure of the judge "x" in a panel of letters.
var errDead = errors.New("the line is dead")

// members makes judges from letters: r says right, w wrong, x fails.
func members(letters string) []judge.Member {
	var list []judge.Member
	for i, letter := range letters {
		list = append(list, judge.Member{
			Name: "j" + string(rune('1'+i)),
			Judge: judgeFunc(func(context.Context, eval.JudgeRequest) (bool, error) {
				if letter == 'x' {
					return true, errDead
				}
				return letter == 'r', nil
			}),
		})
	}
	return list
}

// TestPanelRules encodes the votes as letters, see members.
func TestPanelRules(t *testing.T) {
	const open = "undecided"
	tests := []struct {
		votes              string
		majority, all, any string
	}{
		{"r", right, right, right},
		{"w", wrong, wrong, wrong},
		{"x", open, open, open},
		{"rr", right, right, right},
		{"rw", wrong, wrong, right}, // a tie is not a majority
		{"rx", open, open, right},
		{"wx", wrong, wrong, open},
		{"rrr", right, right, right},
		{"rrw", right, wrong, right},
		{"rww", wrong, wrong, right},
		{"www", wrong, wrong, wrong},
		{"rrx", right, open, right},
		{"rwx", open, wrong, right},
		{"wwx", wrong, wrong, open},
		{"rxx", open, open, right},
		{"wxx", open, wrong, open},
		{"xxx", open, open, open},
		{"rrww", wrong, wrong, right},
		{"rrwx", open, wrong, right},
		{"rwwx", wrong, wrong, right},
	}
	for _, tt := range tests {
		for rule, want := range map[judge.Rule]string{judge.Majority: tt.majority, judge.All: tt.all, judge.Any: tt.any} {
			t.Run(string(rule)+" "+tt.votes, func(t *testing.T) {
				p, err := judge.NewPanel(rule, members(tt.votes)...)
				if err != nil {
					t.Fatal(err)
				}
				ok, err := p.Judge(context.Background(), eval.JudgeRequest{})
				got := wrong
				switch {
				case errors.Is(err, judge.ErrUndecided) && errors.Is(err, errDead):
					got = open
				case err != nil:
					t.Fatal(err)
				case ok:
					got = right
				}
				if got != want {
					t.Errorf("%s, want %s", got, want)
				}
			})
		}
	}
}

func TestPanelSaysWhy(t *testing.T) {
	p, err := judge.NewPanel(judge.Majority, members("rwx")...)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Judge(context.Background(), eval.JudgeRequest{})
	want := "the panel cannot decide by majority of 3: 1 say right, 1 wrong, 1 failed: j3: the line is dead"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestPanelFaults(t *testing.T) {
	tests := []struct {
		name    string
		rule    judge.Rule
		members []judge.Member
		want    string
	}{
		{"unknown rule", "most", members("r"), `unknown rule "most"`},
		{"no judge", judge.All, nil, "there is no judge"},
		{"twice", judge.All, append(members("r"), members("w")...), "j1 is named twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := judge.NewPanel(tt.rule, tt.members...); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestPanelName(t *testing.T) {
	for _, rule := range []judge.Rule{judge.Majority, judge.All, judge.Any} {
		p, err := judge.NewPanel(rule, members("rw")...)
		if err != nil {
			t.Fatal(err)
		}
		if want := string(rule) + "(j1,j2)"; p.Name() != want {
			t.Errorf("name %s, want %s", p.Name(), want)
		}
	}
}

// TestVotes scores answers with functions that ask once, twice and not at all.
func TestVotes(t *testing.T) {
	p, err := judge.NewPanel(judge.Majority, members("rwxr")...)
	if err != nil {
		t.Fatal(err)
	}
	once := []qa.Vote{
		{Judge: "j1", Right: true},
		{Judge: "j2"},
		{Judge: "j3", Failed: "the line is dead"},
		{Judge: "j4", Right: true},
	}
	const asks = `"eval_reference_answer_with_llm"`
	const kwargs = `{"reference_answer": "r", "question": "q"}`
	tests := []struct {
		name      string
		evaluator qa.Evaluator
		answer    eval.Prediction
		want      []qa.Vote
	}{
		{"one question", qa.Evaluator{Func: "eval_reference_answer_with_llm", Kwargs: []byte(kwargs)}, eval.Text("x"), once},
		{"a disjunction", qa.Evaluator{
			Func:   "eval_disjunction",
			Kwargs: []byte(`{"eval_func_list": [` + asks + `, ` + asks + `], "eval_kwargs_list": [` + kwargs + `, ` + kwargs + `]}`),
		}, eval.Text(`["x", "y"]`), once},
		{"none", qa.Evaluator{Func: "eval_int_exact_match", Kwargs: []byte(`{"gold": 3}`)}, eval.Text("3"), nil},
	}
	s := eval.New(eval.Config{Judge: p})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, votes := judge.WithVotes(context.Background())
			if r := s.Score(ctx, tt.evaluator, tt.answer); tt.want != nil && r.Verdict != qa.Unscored {
				t.Errorf("result %+v of 2 of 4 votes and a failure", r)
			}
			if diff := cmp.Diff(tt.want, votes.List()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPanelAsksAtOnce uses judges that wait for each other.
func TestPanelAsksAtOnce(t *testing.T) {
	var all sync.WaitGroup
	all.Add(3)
	waits := judgeFunc(func(context.Context, eval.JudgeRequest) (bool, error) {
		all.Done()
		all.Wait()
		return true, nil
	})
	p, err := judge.NewPanel(judge.All, judge.Member{Name: "a", Judge: waits}, judge.Member{Name: "b", Judge: waits}, judge.Member{Name: "c", Judge: waits})
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := p.Judge(context.Background(), eval.JudgeRequest{}); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

// TestPanelCancelled checks that a cancelled call has no verdict and records no votes.
func TestPanelCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	ctx, votes := judge.WithVotes(ctx)
	stops := judgeFunc(func(context.Context, eval.JudgeRequest) (bool, error) {
		cancel()
		return true, nil
	})
	p, err := judge.NewPanel(judge.Any, judge.Member{Name: "a", Judge: stops})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Judge(ctx, eval.JudgeRequest{}); !errors.Is(err, context.Canceled) || votes.List() != nil {
		t.Errorf("error %v, votes %v", err, votes.List())
	}
}
