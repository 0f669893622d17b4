package windows

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"airqa/agent/action"
	"airqa/qa"
	"airqa/runlog"
	"airqa/tools"
)

// Run is what rows need to know of a run directory.
type Run struct {
	*runlog.Run
	// ID is the SHA-256 of run.json, or that of the run that was imported.
	ID string
	// Tools were offered natively, in the order of the requests; empty if the model wrote its actions as text.
	Tools []qa.ToolSpec
	// format is the text format of actions.
	format action.Format
	// Repeats is true for a fork or a replay, which repeats turns of another run.
	Repeats bool
}

// Open reads the configuration and the tools of an opened run directory.
func Open(r *runlog.Run) (*Run, error) {
	id, err := r.ID()
	if err != nil {
		return nil, err
	}
	if im := r.Config.Note.Imported; im != nil {
		id = cmp.Or(im.Run, id)
	}
	settings := qa.SettingsOf(r.Config.Shape.Settings)
	run := &Run{
		Run: r, ID: id, format: action.Format(settings.ActionFormat),
		Repeats: r.Config.Note.Fork != nil || r.Config.Note.Replay != "",
	}
	if settings.Protocol.Native() {
		run.Tools, err = offered(r)
	}
	return run, err
}

// allTools are the tools in the order of the requests.
var allTools = tools.Set{tools.Retrieve{}, tools.Query{}, tools.View{}, tools.Answer{}}

// specsOf returns the descriptions of the tools in the form that an action has: the parameters of Answer depend on the
// kind of the question.
func specsOf(a *qa.Action) []action.Spec {
	specs := allTools.Specs()
	specs[len(specs)-1] = tools.AnswerWith(a.Args).Spec()
	return specs
}

// offered reads the tools of a run with native calls. A baseline without a loop offers none: its texts are not JSON.
func offered(r *runlog.Run) ([]qa.ToolSpec, error) {
	var list []qa.ToolSpec
	for name, sum := range r.Config.Shape.Tools {
		text, err := r.Text(sum)
		if err != nil {
			return nil, fmt.Errorf("%s: the text of the tool %s: %w", r.Dir, name, err)
		}
		var spec qa.ToolSpec
		if json.Unmarshal([]byte(text), &spec) == nil {
			list = append(list, spec)
		}
	}
	rank := func(t qa.ToolSpec) int {
		return slices.IndexFunc(allTools, func(known tools.Tool) bool { return known.Spec().Name == t.Name })
	}
	slices.SortFunc(list, func(a, b qa.ToolSpec) int { return cmp.Or(rank(a)-rank(b), cmp.Compare(a.Name, b.Name)) })
	return list, nil
}
