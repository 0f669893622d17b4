package estimate

import (
	"errors"
	"testing"

	"airqa/agent"
	"airqa/qa"
)

var (
	_ qa.Model  = (*probe)(nil)
	_ agent.Log = noLog{}
)

func TestProbe(t *testing.T) {
	var p probe
	_, err := p.Complete(t.Context(), qa.Request{UUID: "a", Step: 1})
	if qa.Suspension(err) == "" {
		t.Errorf("the episode does not end suspended: %v", err)
	}
	if _, err := p.Complete(t.Context(), qa.Request{UUID: "a", Step: 2}); !errors.Is(err, errStop) {
		t.Error(err)
	}
	if p.first == nil || p.first.Step != 1 {
		t.Errorf("first request %+v", p.first)
	}
}
