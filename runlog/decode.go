package runlog

import (
	"encoding/json"

	"airqa/internal/ledger"
	"airqa/qa"
)

// decode reads an event. fields reads its members after the head, in the order of the struct's fields.
func decode[E any](s *scanner, raw []byte, into *E, fields func(s *scanner, h *head, ev *E)) error {
	var ev E
	s.reset(raw)
	s.object(func() {
		var h head
		text(s, "type", &h.Type)
		text(s, "episode", &h.Episode)
		s.number("seq", &h.Seq)
		s.time("time", &h.Time)
		fields(s, &h, &ev)
	})
	if s.done() {
		*into = ev
		return nil
	}
	return json.Unmarshal(raw, into)
}

func messageFields(s *scanner, h *head, ev *messageEvent) {
	ev.head = *h
	text(s, "role", &ev.Role)
	if s.key("parts") {
		ev.Parts = make([]part, 0, 3)
		s.list(func() { ev.Parts = append(ev.Parts, partOf(s)) })
	}
	s.other("images", &ev.Images)
}

func partOf(s *scanner) (p part) {
	s.object(func() {
		p.Text = s.optional("text")
		text(s, "ref", &p.Ref)
		s.number("observation", &p.Observation)
	})
	return p
}

// optional reads a member that is a text; nil if it is missing.
func (s *scanner) optional(name string) *ledger.Text {
	if !s.key(name) {
		return nil
	}
	return new(ledger.Text(s.string()))
}

func callFields(s *scanner, h *head, ev *callEvent) {
	ev.head = *h
	s.number("step", &ev.Step)
	if s.key("shown") && !s.literal("null") {
		ev.Shown = make([]qa.Span, 0, 4)
		s.list(func() { ev.Shown = append(ev.Shown, s.span()) })
	}
	if s.key("reply") {
		s.object(func() { replyFields(s, &ev.Reply) })
	}
	s.number("kept", &ev.Kept)
	s.other("called", &ev.Called)
	s.other("not_run", &ev.NotRun)
	text(s, "not_run_result", &ev.NotRunResult)
	s.flag("unlabelled", &ev.Unlabelled)
	if s.key("thought") {
		ev.Thought = new(s.span())
	}
	ev.Action = s.action("action")
	s.other("parse_error", &ev.ParseError)
	s.time("started", &ev.Started)
	s.time("ended", &ev.Ended)
}

func replyFields(s *scanner, r *reply) {
	text(s, "text", &r.Text)
	r.Reasoning = s.optional("reasoning")
	text(s, "model", &r.Model)
	text(s, "id", &r.ID)
	text(s, "finish", &r.Finish)
	if s.key("usage") {
		s.object(func() {
			s.number("prompt", &r.Usage.Prompt)
			s.number("completion", &r.Usage.Completion)
			s.number("cached", &r.Usage.Cached)
			s.number("reasoning", &r.Usage.Reasoning)
			s.flag("estimated", &r.Usage.Estimated)
		})
	}
	if s.key("attempts") {
		r.Attempts = make([]qa.Attempt, 0, 1)
		s.list(func() { r.Attempts = append(r.Attempts, attemptOf(s)) })
	}
	s.other("tool_calls", &r.ToolCalls)
	s.other("sealed", &r.Sealed)
	s.flag("from_cache", &r.Cached)
}

func attemptOf(s *scanner) (a qa.Attempt) {
	s.object(func() {
		s.time("started", &a.Started)
		s.float("seconds", &a.Seconds)
		s.float("wait", &a.Wait)
		s.number("status", &a.Status)
		text(s, "error", &a.Error)
		s.other("charged", &a.Charged)
	})
	return a
}

func (s *scanner) span() (p qa.Span) {
	s.object(func() {
		s.number("first", &p.First)
		s.number("end", &p.End)
	})
	return p
}

// action reads a member that is an action; nil if it is missing.
func (s *scanner) action(name string) *qa.Action {
	if !s.key(name) {
		return nil
	}
	var a qa.Action
	s.object(func() {
		text(s, "name", &a.Name)
		s.other("args", &a.Args)
		text(s, "text", &a.Text)
		text(s, "latex", &a.LaTeX)
		s.number("start", &a.Start)
		s.number("end", &a.End)
	})
	return &a
}

func observationFields(s *scanner, h *head, ev *observationEvent) {
	ev.head = *h
	s.number("step", &ev.Step)
	text(s, "by", &ev.By)
	ev.Action = s.action("action")
	text(s, "status", &ev.Status)
	text(s, "text", &ev.Text)
	s.other("images", &ev.Images)
	s.other("cut", &ev.Cut)
	text(s, "full", &ev.Full)
	text(s, "hash", &ev.Hash)
	if s.key("hits") {
		ev.Hits = make([]qa.Hit, 0, 8)
		s.list(func() { ev.Hits = append(ev.Hits, hitOf(s)) })
	}
	s.other("touched", &ev.Touched)
	s.time("started", &ev.Start)
	s.time("ended", &ev.End)
}

func hitOf(s *scanner) (h qa.Hit) {
	s.object(func() {
		s.number("rank", &h.Rank)
		text(s, "id", &h.ID)
		text(s, "paper_id", &h.PaperID)
		s.number("page", &h.Page)
		s.float("score", &h.Score)
		s.flag("beyond", &h.Beyond)
	})
	return h
}
