package run

import (
	"airqa/agent"
	"airqa/qa"
)

// watched is the log of an episode that reports each step once it is written: first with its reply, then with its
// observation.
type watched struct {
	agent.Log
	uuid  string
	watch func(uuid string, s qa.Step)
}

// Call writes a reply.
func (w watched) Call(s qa.Step) error { return w.after(w.Log.Call(s), s) }

// Observation writes the result of an action.
func (w watched) Observation(s qa.Step) error { return w.after(w.Log.Observation(s), s) }

func (w watched) after(err error, s qa.Step) error {
	if err == nil {
		w.watch(w.uuid, s)
	}
	return err
}
