package train

import (
	"cmp"
	"encoding/json"
	"fmt"

	"airqa/agent/action"
	"airqa/qa"
	"airqa/runlog"
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
	// Repeats is true for a fork and a run with --cache RUN, which repeat turns of another run.
	Repeats bool
}

// OpenRun reads the configuration and the tools of an opened run directory.
func OpenRun(r *runlog.Run) (*Run, error) {
	id, err := r.ID()
	if err != nil {
		return nil, err
	}
	if im := r.Config.Note.Imported; im != nil {
		id = cmp.Or(im.Run, id)
	}
	settings := qa.SettingsOf(r.Config.Shape.Settings)
	run := &Run{
		Run: r, ID: id, format: action.Format(settings.Protocol.Format()),
		Repeats: r.Config.Note.Fork != nil || r.Config.Note.CacheFrom != "",
	}
	if !settings.Protocol.Native() {
		return run, nil
	}
	for _, name := range r.Config.Note.Tools { // in the order of the requests
		text, err := r.Text(r.Config.Shape.Tools[name])
		if err != nil {
			return run, fmt.Errorf("%s: the text of the tool %s: %w", r.Dir, name, err)
		}
		var spec qa.ToolSpec
		if json.Unmarshal([]byte(text), &spec) == nil { // a baseline without a loop offers none: its texts are not JSON
			run.Tools = append(run.Tools, spec)
		}
	}
	return run, nil
}
