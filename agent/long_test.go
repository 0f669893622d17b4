package agent_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/agent"
	"airqa/qa"
)

// unclear refuses conversations with too many messages for a reason that it does not give.
type unclear struct {
	model
	most  int
	class qa.FailureClass
	long  bool
	// second is the error of a request with half the turns.
	second error
	half   bool
}

func (m *unclear) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	switch {
	case len(r.Messages) <= m.most:
		m.half = false
		return m.model.Complete(ctx, r)
	case m.half && m.second != nil:
		return qa.Reply{}, m.second
	}
	m.half = true
	return qa.Reply{}, &qa.CallError{
		Class: m.class, MaybeLong: m.long, Err: errors.New("no"), Attempts: []qa.Attempt{{Status: 503, Error: qa.FailServer}, {Status: 400, Error: m.class}},
	}
}

// A refusal of a long conversation without a reason is tried once with half the turns.
func TestRefusalWithoutReason(t *testing.T) {
	tests := []struct {
		name   string
		model  unclear
		want   qa.Outcome
		shown  []int
		record string // the classes of the requests of the last call
	}{
		{
			"half fits",
			unclear{most: 8, class: qa.FailBadRequest, long: true},
			qa.Answered,
			[]int{2, 4, 6, 8, 6, 6},
			"server context_overflow ",
		},
		{"a server error", unclear{most: 8, class: qa.FailServer, long: true}, qa.Answered, []int{2, 4, 6, 8, 6, 6}, "server context_overflow "},
		{"half is refused as well", unclear{most: 5, class: qa.FailBadRequest, long: true}, qa.EndpointError, []int{2, 4, 4, 4}, "server bad_request server bad_request "},
		{"a short conversation", unclear{most: 8, class: qa.FailBadRequest}, qa.EndpointError, []int{2, 4, 6, 8}, "server bad_request "},
		{"nothing to leave out", unclear{most: 1, class: qa.FailBadRequest, long: true}, qa.EndpointError, nil, "server bad_request "},
		{"half is too long", unclear{most: 5, class: qa.FailBadRequest, long: true, second: overflow(6)}, qa.Answered, []int{2, 4, 4, 4, 4, 4}, "server context_overflow context_overflow "},
		{
			"half meets another error",
			unclear{most: 5, class: qa.FailBadRequest, long: true, second: &qa.CallError{Class: qa.FailNetwork, Err: errors.New("cut"), Attempts: []qa.Attempt{{Error: qa.FailNetwork}}}},
			qa.EndpointError,
			[]int{2, 4, 4, 4},
			"server bad_request network ",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &tt.model
			m.replies = []string{"a", "b", "c", "d", "e", "final"}
			s := setup(&m.model, &env{}, &log{})
			s.Model = m
			ep := start(t, s)
			if err := (&agent.Loop{Episode: ep, Settings: qa.Settings{ToolSettings: qa.ToolSettings{Turns: 9}, Window: 4}, Read: read}).Run(t.Context()); err != nil {
				if err := ep.Fail(err); err != nil {
					t.Fatal(err)
				}
			}
			tr := ep.Trajectory()
			var shown []int
			for i := range tr.Steps {
				shown = append(shown, len(m.shown[i]))
			}
			if diff := cmp.Diff(tt.shown, shown); tr.Outcome != tt.want || diff != "" {
				t.Errorf("outcome %s (%s), messages shown (-want +got):\n%s", tr.Outcome, tr.Reason, diff)
			}
			attempts := tr.FailedAttempts
			if len(attempts) == 0 {
				attempts = tr.Steps[len(tr.Steps)-1].Reply.Attempts
			}
			record := ""
			for _, a := range attempts {
				record += fmt.Sprintf("%s ", a.Error)
			}
			if record != tt.record {
				t.Errorf("recorded %q, want %q", record, tt.record)
			}
		})
	}
}
