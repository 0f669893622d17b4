package runlog

import "airqa/internal/ledger"

// The texts of events, without their other members.

type callTexts struct {
	Step       int            `json:"step"`
	Reply      replyTexts     `json:"reply"`
	Called     *argumentTexts `json:"called"`
	Action     actionTexts    `json:"action"`
	ParseError struct {
		Reason string `json:"reason"`
	} `json:"parse_error"`
}

type replyTexts struct {
	Text      ledger.Text     `json:"text"`
	Reasoning ledger.Text     `json:"reasoning"`
	Attempts  []attemptText   `json:"attempts"`
	ToolCalls []argumentTexts `json:"tool_calls"`
}

type argumentTexts struct {
	Arguments any `json:"arguments"`
}

type actionTexts struct {
	Text  string `json:"text"`
	LaTeX string `json:"latex"`
}

type attemptText struct {
	Error string `json:"error"`
}

type observationTexts struct {
	Step   int         `json:"step"`
	Action actionTexts `json:"action"`
	Text   ledger.Text `json:"text"`
	Full   string      `json:"full"`
}

type endTexts struct {
	Attempts []attemptText `json:"attempts"`
	Failed   []attemptText `json:"failed_attempts"`
	Reason   string        `json:"reason"`
	Answer   struct {
		Text  string `json:"text"`
		LaTeX string `json:"latex"`
	} `json:"answer"`
}

// skip passes over members that are in this order, as far as they are there.
func (s *scanner) skip(names ...string) {
	for _, name := range names {
		if s.key(name) {
			s.value()
		}
	}
}

func callTextFields(s *scanner, _ *head, ev *callTexts) {
	s.number("step", &ev.Step)
	s.skip("shown")
	if s.key("reply") {
		s.object(func() { replyTextFields(s, &ev.Reply) })
	}
	s.skip("kept")
	s.other("called", &ev.Called)
	s.skip("not_run", "unlabelled", "thought")
	actionTextFields(s, &ev.Action)
	s.other("parse_error", &ev.ParseError)
	s.skip("started", "ended")
}

func replyTextFields(s *scanner, r *replyTexts) {
	text(s, "text", &r.Text)
	text(s, "reasoning", &r.Reasoning)
	s.skip("model", "id", "finish", "usage")
	s.other("attempts", &r.Attempts)
	s.other("tool_calls", &r.ToolCalls)
	s.skip("sealed", "from_cache")
}

func actionTextFields(s *scanner, a *actionTexts) {
	if !s.key("action") {
		return
	}
	s.object(func() {
		s.skip("name", "args")
		text(s, "text", &a.Text)
		text(s, "latex", &a.LaTeX)
		s.skip("start", "end")
	})
}

func observationTextFields(s *scanner, _ *head, ev *observationTexts) {
	s.number("step", &ev.Step)
	s.skip("by")
	actionTextFields(s, &ev.Action)
	s.skip("status")
	text(s, "text", &ev.Text)
	s.skip("images", "cut")
	text(s, "full", &ev.Full)
	s.skip("hash", "hits", "touched", "started", "ended")
}
