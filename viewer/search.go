package viewer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"airqa/internal/web"
	"airqa/qa"
	"airqa/runlog"
	"airqa/trace"
)

// mostHits is the maximum number of places that a search lists.
const mostHits = 300

type searchView struct {
	Query string
	// Prompts means that the first message of an episode, its system prompt, is searched, too. Skipped counts its places.
	Prompts bool
	Skipped int
	Found   []foundQuestion
	// More means that there are more places than listed.
	More             bool
	Places, Episodes int
	// Unread are events and texts that could not be read.
	Unread []string
	// Named are the episodes that the text is the id of, or its beginning.
	Named []foundEpisode
}

// foundQuestion is a question with the places in its episodes, where equal ones are one.
type foundQuestion struct {
	Question string
	Places   []foundPlace
}

// foundPlace is a place with the same text around it in one or more episodes.
type foundPlace struct {
	Place string
	runlog.Snippet
	Episodes []foundEpisode
}

type foundEpisode struct {
	Link
	Status trace.Status
}

// moved is the error of a page whose content is at another address.
type moved string

func (m moved) Error() string { return "moved to " + string(m) }

// Search writes the places of a text in all messages, replies and results. The uuid of one episode leads to its page; any
// other id is listed beside the places.
func (s *Site) Search(ctx context.Context, w io.Writer, q url.Values) error {
	v := searchView{Query: strings.TrimSpace(q.Get("q")), Prompts: q.Get("prompts") != ""}
	var named []trace.Row
	const leastID = 8 // the minimum length of the beginning of an id, as lists show it
	if len(v.Query) >= leastID {
		named = s.Library.Named(v.Query)
	}
	if len(named) == 1 && qa.IsUUID(named[0].UUID) {
		return moved(s.href(named[0], nil))
	}
	for _, row := range named[:min(len(named), mostHits)] {
		v.Named = append(v.Named, foundEpisode{Link{s.nameOf(row), s.href(row, nil)}, row.Status})
	}
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

// nameOf is the run of an episode, with the repeat unless it is the first.
func (s *Site) nameOf(row trace.Row) string {
	if row.Repeat > 0 {
		return fmt.Sprintf("%s repeat %d", s.run(row), row.Repeat)
	}
	return s.run(row)
}

func (v *searchView) find(ctx context.Context, s *Site) error {
	questions, episodes := make(map[string]int), make(map[trace.Key]bool)
	for hit, err := range s.Library.Grep(ctx, v.Query) {
		if errors.Is(err, runlog.ErrNoText) {
			return nil
		}
		if err != nil && trace.Unread(err) {
			v.Unread = append(v.Unread, err.Error())
			continue
		}
		if err != nil {
			return err
		}
		if !v.Prompts && hit.Field == runlog.FieldMessage && hit.Message == 0 {
			v.Skipped++
			continue
		}
		if v.Places == mostHits {
			v.More = true
			return nil
		}
		row, ok := s.Library.Row(trace.Key{Run: hit.Run, Episode: hit.Episode})
		if !ok {
			row = trace.Row{Run: hit.Run, Episode: hit.Episode, UUID: hit.Episode}
		}
		v.Places++
		episodes[row.Key()] = true
		v.Episodes = len(episodes)
		v.question(questions, row).add(hit, foundEpisode{Link{s.nameOf(row), s.hitHref(row, hit)}, row.Status})
	}
	return nil
}

// question returns the entry of an episode's question; numbers has the places of those that exist.
func (v *searchView) question(numbers map[string]int, row trace.Row) *foundQuestion {
	n, ok := numbers[row.UUID]
	if !ok {
		n = len(v.Found)
		numbers[row.UUID] = n
		v.Found = append(v.Found, foundQuestion{Question: cmp.Or(row.Question, row.Episode)})
	}
	return &v.Found[n]
}

func (f *foundQuestion) add(hit trace.Hit, in foundEpisode) {
	place := web.Words(hit.Field)
	if hit.Field == runlog.FieldMessage && hit.Message >= 0 {
		place = fmt.Sprintf("message %d", hit.Message)
	} else if hit.Step > 0 {
		place = fmt.Sprintf("step %d, %s", hit.Step, place)
	}
	p := foundPlace{Place: place, Snippet: hit.Snippet}
	for i, q := range f.Places {
		if q.Place == p.Place && q.Snippet == p.Snippet {
			f.Places[i].Episodes = append(q.Episodes, in)
			return
		}
	}
	p.Episodes = []foundEpisode{in}
	f.Places = append(f.Places, p)
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
		q.Set("at", fmt.Sprintf("%s:%d-%d", at, h.Offset, h.End))
	}
	return s.href(row, q) + "#" + fragment
}
