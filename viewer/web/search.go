package web

import (
	"context"
	"fmt"
	"io"
	"net/url"

	"airqa/internal/web"
	"airqa/runlog"
	"airqa/trace"
)

// mostHits is the maximum number of places that a search lists.
const mostHits = 300

// searchView is the data of search.html.
type searchView struct {
	Query string
	Hits  []hitView
	// More means that there are more places than listed; Episodes counts those with a listed place.
	More     bool
	Episodes int
	// Unread are events and texts that could not be read.
	Unread []string
}

type hitView struct {
	trace.Hit
	Name, Href, Place string
	First             bool
}

// Search writes the places of a text in all messages, replies and results.
func (s *Site) Search(ctx context.Context, w io.Writer, q url.Values) error {
	v := searchView{Query: q.Get("q")}
	if v.Query != "" {
		if err := v.find(ctx, s); err != nil {
			return err
		}
	}
	f := frame{Title: "Search", Section: "search", Content: "search", Body: v}
	if v.Query != "" {
		f.Command = command(append(append([]string{"trace"}, s.paths(s.Library.Runs)...), "--grep="+v.Query)...)
	}
	return s.write(w, f)
}

func (v *searchView) find(ctx context.Context, s *Site) error {
	last := ""
	for hit, err := range s.Library.Grep(ctx, v.Query) {
		if err != nil && trace.Unread(err) {
			v.Unread = append(v.Unread, err.Error())
			continue
		}
		if err != nil {
			return err
		}
		if len(v.Hits) == mostHits {
			v.More = true
			return nil
		}
		row := trace.Row{Run: hit.Run, Episode: hit.Episode}
		h := hitView{Hit: hit, Name: s.run(row), Place: hitPlace(hit), First: hit.Run+hit.Episode != last}
		if h.First {
			v.Episodes++
			last = hit.Run + hit.Episode
		}
		h.Href = s.hitHref(row, hit)
		v.Hits = append(v.Hits, h)
	}
	return nil
}

// hitFields are the names of [Text] for the fields of a hit.
var hitFields = map[string]string{
	runlog.FieldReply: "reply.text", runlog.FieldReasoning: "reply.reasoning", runlog.FieldAction: "action.text",
	runlog.FieldObservation: "observation.text", runlog.FieldFull: "observation.full",
}

// hitHref is the address of the place of a hit. A text that is not on the page as it is leads to its step.
func (s *Site) hitHref(row trace.Row, h trace.Hit) string {
	at, fragment := "", "messages"
	switch part := hitFields[h.Field]; {
	case h.Field == runlog.FieldMessage && h.Message >= 0:
		at, fragment = fmt.Sprintf("messages.%d.text", h.Message), "hit"
	case h.Step > 0 && part != "":
		at, fragment = fmt.Sprintf("steps.%d.%s", h.Step, part), "hit"
	case h.Step > 0: // arguments of native calls, parse errors, requests
		fragment = fmt.Sprintf("step-%d", h.Step)
	case h.Field == runlog.FieldAnswer:
		at, fragment = "answer.text", "hit"
	case h.Field == runlog.FieldReason:
		fragment = "result"
	}
	q := url.Values{}
	if at != "" {
		q.Set("at", fmt.Sprintf("%s:%d-%d", at, h.Offset, h.Offset+len(h.Match)))
	}
	return s.href(row, q) + "#" + fragment
}

func hitPlace(h trace.Hit) string {
	if h.Field == runlog.FieldMessage && h.Message >= 0 {
		return fmt.Sprintf("message %d", h.Message)
	}
	if h.Step > 0 {
		return fmt.Sprintf("step %d, %s", h.Step, web.Words(h.Field))
	}
	return web.Words(h.Field)
}
