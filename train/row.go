package train

import (
	"fmt"

	"airqa/internal/files"
	"airqa/qa"
)

// Row is a training example: the messages before one turn of the model, and the turn.
type Row struct {
	// ID identifies the row in every format: a hash of run, question, repeat and turn, in lower-case hex.
	ID string
	// Run is the run's identity, see [Run.ID].
	Run string
	// UUID and Repeat are the episode, Turn its step, counted from 1.
	UUID   string
	Repeat int
	Turn   int
	// Context is what the model saw, in order: system, task and the window of the last turns. The list belongs to the
	// row, the messages must not be modified.
	Context []qa.Message
	// Target is the only turn to train on, and the last one of a whole episode.
	Target qa.Message
	// History has an id for each turn of the model in the context of a whole episode, empty for one that is not trained.
	// Other rows have none.
	History []string
	// Errors is the number of trained turns that are error actions, see [qa.ActionResult].
	Errors int
	// Tools are the tools offered natively; empty if the model writes its actions as text.
	Tools []qa.ToolSpec
}

// Trained lists the ids of the turns that the row trains.
func (r Row) Trained() (ids []string) {
	for _, id := range r.History {
		if id != "" {
			ids = append(ids, id)
		}
	}
	return append(ids, RowID(r.Run, r.UUID, r.Repeat, r.Turn))
}

// Drop is a turn that is no row of an export, with the reason. Detail is for people; it may be empty.
type Drop struct {
	ID     string `json:"id"`
	Reason Reason `json:"reason"`
	Detail string `json:"detail"`
}

// RowID returns the id of a row. That of a whole episode has the turn 0.
func RowID(run, uuid string, repeat, turn int) string {
	return files.Hash(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%d", run, uuid, repeat, turn))[:32]
}
