// Package keys is the one table of the keys of the web viewer: [Actions] are those of a page, and [Help] the sections of the
// help on "?". It handles no key itself.
package keys

import (
	"slices"
	"strings"
)

// Place is a page where a key works.
type Place string

// The places. A key of Everywhere works in all others, too, unless one of them binds it.
const (
	Everywhere Place = "everywhere"
	// List is the list of episodes.
	List Place = "list"
	// Episode is one trajectory.
	Episode Place = "episode"
	// Queue is one trajectory of the wrong answers without a decision.
	Queue Place = "queue"
)

func (p Place) title() string {
	return map[Place]string{List: "List", Episode: "Episode", Queue: "Triage", Everywhere: "Everywhere"}[p]
}

// Action is the name of what a key does.
type Action string

// The actions.
const (
	Open      Action = "open"
	Back      Action = "back"
	ShowHelp  Action = "help"
	Down      Action = "down"
	Up        Action = "up"
	PageUp    Action = "page_up"
	First     Action = "first"
	Last      Action = "last"
	NextStep  Action = "next_step"
	PrevStep  Action = "previous_step"
	NextTrace Action = "next_episode"
	PrevTrace Action = "previous_episode"
	NextMark  Action = "next_mark"
	PrevMark  Action = "previous_mark"
	Search    Action = "search"
	Filter    Action = "filter"
	Sort      Action = "sort"
	Diff      Action = "diff"
	Copy      Action = "copy"
	Comment   Action = "comment"
	Triage    Action = "triage"
	SetCause  Action = "set_cause"
	Accept    Action = "accept"
	Undo      Action = "undo"
)

// binding is one action with its keys, the preferred one first, by their names in KeyboardEvent.key. Keys that a browser or a
// screen reader handles itself, such as the space bar, are bound to nothing.
type binding struct {
	action Action
	keys   []string
	where  []Place
	// help describes the action in a few words, without a full stop.
	help string
}

// bindings is in the order of the help. Movement follows mini-swe-agent's inspector, search and marks follow less and vi.
var bindings = []binding{
	{Open, []string{"Enter"}, []Place{List}, "open the episode"},
	{Down, []string{"j", "ArrowDown"}, []Place{List}, "next row"},
	{Up, []string{"k", "ArrowUp"}, []Place{List}, "previous row"},
	{First, []string{"0", "g"}, []Place{List}, "first row"},
	{Last, []string{"$", "G"}, []Place{List}, "last row"},
	{Filter, []string{"f"}, []Place{List}, "filter"},
	{Sort, []string{"s"}, []Place{List}, "sort by the next column"},
	{NextStep, []string{"l", "ArrowRight"}, []Place{Episode, Queue}, "next step"},
	{PrevStep, []string{"h", "ArrowLeft"}, []Place{Episode, Queue}, "previous step"},
	{NextTrace, []string{"L"}, []Place{Episode}, "next episode of the list"},
	{PrevTrace, []string{"H"}, []Place{Episode}, "previous episode of the list"},
	{NextTrace, []string{"L"}, []Place{Queue}, "skip to the next undecided answer"},
	{Down, []string{"j", "ArrowDown"}, []Place{Episode, Queue}, "scroll down"},
	{Up, []string{"k", "ArrowUp"}, []Place{Episode, Queue}, "scroll up"},
	{First, []string{"0", "g"}, []Place{Episode, Queue}, "first step"},
	{Last, []string{"$", "G"}, []Place{Episode, Queue}, "last step"},
	{NextMark, []string{"]"}, []Place{Episode, Queue}, "next mark: an error, an empty, repeated or cut result"},
	{PrevMark, []string{"["}, []Place{Episode, Queue}, "previous mark"},
	{Diff, []string{"d"}, []Place{Episode, Queue}, "compare with the same question in another run"},
	{Copy, []string{"y"}, []Place{Episode, Queue}, "copy the episode as Markdown"},
	{Comment, []string{"c"}, []Place{Episode, Queue}, "write a comment on the step"},
	{SetCause, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}, []Place{Queue}, "set the cause"},
	{Accept, []string{"Enter"}, []Place{Queue}, "accept the cause that the rules found"},
	{Undo, []string{"u"}, []Place{Queue}, "undo the last decision"},
	{Triage, []string{"t"}, []Place{List, Episode}, "triage: name the cause of each wrong answer"},
	{PageUp, []string{"b"}, []Place{Everywhere}, "one page up"},
	{Search, []string{"/"}, []Place{Everywhere}, "search all episodes"},
	{Back, []string{"Escape"}, []Place{Everywhere}, "back"},
	{ShowHelp, []string{"?"}, []Place{Everywhere}, "this help"},
}

// symbols are shown for named keys.
var symbols = map[string]string{"Escape": "Esc", "ArrowLeft": "←", "ArrowRight": "→", "ArrowUp": "↑", "ArrowDown": "↓"}

// label names the keys of a binding for people: "l →", "1–9".
func (b binding) label() string {
	if b.action == SetCause {
		return b.keys[0] + "–" + b.keys[len(b.keys)-1]
	}
	labels := slices.Clone(b.keys)
	for i, k := range labels {
		if s, ok := symbols[k]; ok {
			labels[i] = s
		}
	}
	return strings.Join(labels, " ")
}

// Line is one line of the help.
type Line struct{ Keys, Help string }

// Section is the help of one place.
type Section struct {
	Title string
	Lines []Line
}

// Help returns the help of a place: its own keys, then those of everywhere.
func Help(p Place) []Section {
	var sections []Section
	for _, place := range []Place{p, Everywhere} {
		s := Section{Title: place.title()}
		for _, b := range bindings {
			if slices.Contains(b.where, place) {
				s.Lines = append(s.Lines, Line{b.label(), b.help})
			}
		}
		sections = append(sections, s)
	}
	return sections
}

// Actions returns the actions of a place by KeyboardEvent.key.
func Actions(p Place) map[string]Action {
	actions := make(map[string]Action)
	for _, place := range []Place{Everywhere, p} {
		for _, b := range bindings {
			if !slices.Contains(b.where, place) {
				continue
			}
			for _, k := range b.keys {
				actions[k] = b.action
			}
		}
	}
	return actions
}
