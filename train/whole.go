package train

import (
	"slices"

	"airqa/qa"
	"airqa/runlog"
)

// Whole returns an episode as one row with its whole history, up to the last turn that can be trained, and the turns that
// cannot be: they stay in the history. ok is false if no turn can be trained.
func (r *Run) Whole(rec runlog.Recorded, o RowOptions) (row Row, dropped []Drop, ok bool) {
	rows, dropped := r.Rows(rec, o)
	if len(rows) == 0 {
		return row, dropped, false
	}
	row = rows[len(rows)-1]
	row.ID = RowID(r.ID, rec.UUID, rec.Repeat, 0)
	h := history{Run: r, rec: rec, options: o, trained: make(map[int]string)}
	for _, one := range rows[:len(rows)-1] {
		h.trained[one.Turn] = one.ID
		row.Errors += one.Errors
	}
	row.Context, row.History = h.before(row.Turn)
	return row, dropped, true
}

type history struct {
	*Run
	rec     runlog.Recorded
	options RowOptions
	// trained are the ids of the turns to train, by step.
	trained map[int]string
}

// before returns the messages before a turn, and the ids of the turns among them. Each reply has one message.
func (h history) before(turn int) (list []qa.Message, ids []string) {
	var steps []qa.Step
	for _, s := range h.rec.Steps {
		if s.Reply != nil {
			steps = append(steps, s)
		}
	}
	ranOnly := false
	for _, m := range h.rec.Messages {
		if m.Role != qa.Assistant {
			if ranOnly { // the others are not in the turn before
				m.Others = slices.DeleteFunc(slices.Clone(m.Others), func(r qa.CallResult) bool { return r.Status == "" })
			}
			list = append(list, m)
			continue
		}
		s := steps[0]
		if s.N == turn {
			break
		}
		steps = steps[1:]
		id := h.trained[s.N]
		ranOnly = id != "" && h.options.Turns != Raw
		list, ids = append(list, h.turn(s, m, id != "")), append(ids, id)
	}
	return list, ids
}

// turn returns an earlier turn: as it is trained, or as the model saw it.
func (h history) turn(s qa.Step, m qa.Message, trained bool) qa.Message {
	o := h.options
	if o.Thinking == ThinkingLast {
		o.Thinking = ThinkingDrop
	}
	if trained {
		return h.target(s, o)
	}
	if o.Thinking == ThinkingDrop {
		m.Text = h.grammar().WithoutThinking(m.Text)
	}
	return m
}
