// Package keys is the one table of the keys of the terminal browser and the web viewer. Start from [Bindings]; [Find]
// gives the action of a key, and [Help] the sections of the help on "?". It handles no key itself.
package keys

import (
	"slices"
	"strings"
)

// Place is a screen where a key works.
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
	// Comparison is two trajectories of one question.
	Comparison Place = "comparison"
)

// Places returns all places in the order of the help.
func Places() []Place { return []Place{List, Episode, Queue, Comparison, Everywhere} }

// Title is the heading of a place.
func (p Place) Title() string {
	return map[Place]string{List: "List", Episode: "Episode", Queue: "Triage", Comparison: "Comparison", Everywhere: "Everywhere"}[p]
}

// Action is the name of what a key does.
type Action string

// The actions.
const (
	Open      Action = "open"
	Back      Action = "back"
	Quit      Action = "quit"
	ShowHelp  Action = "help"
	Down      Action = "down"
	Up        Action = "up"
	PageDown  Action = "page_down"
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
	NextMatch Action = "next_match"
	PrevMatch Action = "previous_match"
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

// Binding is one action with its keys.
type Binding struct {
	Action Action
	// Keys are the names of the keys, the first one preferred: a character as typed ("H" with shift), or "enter", "esc",
	// "space", "left", "right", "up", "down", "home", "end", "pgup", "pgdown" and "ctrl+" with a letter.
	Keys []string
	// Where lists the places, in the order of [Places].
	Where []Place
	// Help describes the action in a few words, without a full stop.
	Help string
}

// bindings is in the order of the help. Movement follows mini-swe-agent's inspector, search and marks follow less and vi.
var bindings = []Binding{
	{Open, []string{"enter"}, []Place{List}, "open the episode"},
	{Down, []string{"j", "down"}, []Place{List}, "next row"},
	{Up, []string{"k", "up"}, []Place{List}, "previous row"},
	{First, []string{"0", "home", "g"}, []Place{List}, "first row"},
	{Last, []string{"$", "end", "G"}, []Place{List}, "last row"},
	{Filter, []string{"f"}, []Place{List}, "filter, with the flags of airqa trace"},
	{Sort, []string{"s"}, []Place{List}, "sort by the next column"},
	{NextStep, []string{"l", "right"}, []Place{Episode, Queue, Comparison}, "next step"},
	{PrevStep, []string{"h", "left"}, []Place{Episode, Queue, Comparison}, "previous step"},
	{NextTrace, []string{"L"}, []Place{Episode}, "next episode of the list"},
	{PrevTrace, []string{"H"}, []Place{Episode}, "previous episode of the list"},
	{NextTrace, []string{"L"}, []Place{Queue}, "skip to the next undecided answer"},
	{PrevTrace, []string{"H"}, []Place{Queue}, "back to the previous undecided answer"},
	{Down, []string{"j", "down"}, []Place{Episode, Queue, Comparison}, "scroll down"},
	{Up, []string{"k", "up"}, []Place{Episode, Queue, Comparison}, "scroll up"},
	{First, []string{"0", "home", "g"}, []Place{Episode, Queue, Comparison}, "first step"},
	{Last, []string{"$", "end", "G"}, []Place{Episode, Queue, Comparison}, "last step"},
	{NextMark, []string{"]"}, []Place{Episode, Queue}, "next mark: an error, an empty, repeated or cut result"},
	{PrevMark, []string{"["}, []Place{Episode, Queue}, "previous mark"},
	{Diff, []string{"d"}, []Place{Episode, Queue}, "compare with the same question in another run"},
	{Diff, []string{"d"}, []Place{Comparison}, "compare with the next run or repeat"},
	{Open, []string{"enter"}, []Place{Comparison}, "open the other episode"},
	{Copy, []string{"y"}, []Place{Episode, Queue}, "copy the episode as Markdown"},
	{Comment, []string{"c"}, []Place{Episode, Queue}, "write a comment on the step"},
	{SetCause, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}, []Place{Queue}, "set the cause"},
	{Accept, []string{"enter"}, []Place{Queue}, "accept the cause that the rules found"},
	{Undo, []string{"u"}, []Place{Queue}, "undo the last decision"},
	{Triage, []string{"t"}, []Place{List, Episode}, "triage: name the cause of each wrong answer"},
	{PageDown, []string{"space", "pgdown", "ctrl+d"}, []Place{Everywhere}, "one page down"},
	{PageUp, []string{"b", "pgup", "ctrl+u"}, []Place{Everywhere}, "one page up"},
	{Search, []string{"/"}, []Place{Everywhere}, "search all episodes (in a list) or this episode"},
	{NextMatch, []string{"n"}, []Place{Everywhere}, "next match"},
	{PrevMatch, []string{"N"}, []Place{Everywhere}, "previous match"},
	{Back, []string{"esc", "backspace"}, []Place{Everywhere}, "back, or clear the search"},
	{ShowHelp, []string{"?"}, []Place{Everywhere}, "this help"},
	{Quit, []string{"q", "ctrl+c"}, []Place{Everywhere}, "quit"},
}

// Bindings returns the keys that work in a place, its own first, in the order of the help.
func Bindings(p Place) []Binding {
	var list []Binding
	for _, where := range slices.Compact([]Place{p, Everywhere}) {
		for _, b := range bindings {
			if slices.Contains(b.Where, where) {
				list = append(list, b)
			}
		}
	}
	return list
}

// Find returns the action of a key in a place; "" if it has none.
func Find(p Place, key string) Action {
	for _, b := range Bindings(p) {
		if slices.Contains(b.Keys, key) {
			return b.Action
		}
	}
	return ""
}

// symbols are shown for named keys.
var symbols = map[string]string{
	"enter": "Enter", "esc": "Esc", "space": "Space", "left": "←", "right": "→", "up": "↑", "down": "↓",
	"home": "Home", "end": "End", "pgup": "PgUp", "pgdown": "PgDn", "backspace": "Backspace",
}

// Label names the keys of a binding for people: "l →", "1–9", "Space PgDn Ctrl+D".
func (b Binding) Label() string {
	if b.Action == SetCause {
		return b.Keys[0] + "–" + b.Keys[len(b.Keys)-1]
	}
	labels := make([]string, len(b.Keys))
	for i, k := range b.Keys {
		labels[i] = k
		if s, ok := symbols[k]; ok {
			labels[i] = s
		} else if letter, ok := strings.CutPrefix(k, "ctrl+"); ok {
			labels[i] = "Ctrl+" + strings.ToUpper(letter)
		}
	}
	return strings.Join(labels, " ")
}

// Line is one line of the help.
type Line struct{ Keys, Help string }

// Section is the help of one place.
type Section struct {
	Place Place
	Title string
	Lines []Line
}

// Help returns the help of a place: its own keys, then those of everywhere. Without a place it returns all of them.
func Help(p Place) []Section {
	places := []Place{p, Everywhere}
	if p == "" {
		places = Places()
	}
	var sections []Section
	for _, place := range places {
		s := Section{Place: place, Title: place.Title()}
		for _, b := range bindings {
			for _, where := range b.Where {
				if where == place {
					s.Lines = append(s.Lines, Line{b.Label(), b.Help})
				}
			}
		}
		sections = append(sections, s)
	}
	return sections
}

// codes are the names of KeyboardEvent.key in a browser.
var codes = map[string]string{
	"enter": "Enter", "esc": "Escape", "space": " ", "left": "ArrowLeft", "right": "ArrowRight", "up": "ArrowUp", "down": "ArrowDown",
	"home": "Home", "end": "End", "pgup": "PageUp", "pgdown": "PageDown", "backspace": "Backspace",
}

// browserOwn are keys that a browser or a screen reader handles itself.
var browserOwn = map[string]bool{
	"space": true, "pgup": true, "pgdown": true, "home": true, "end": true, "backspace": true, "ctrl+d": true, "ctrl+u": true,
	"ctrl+c": true, "q": true,
}

// Browser returns the actions of a place by KeyboardEvent.key, for the web viewer. Keys that the browser handles itself
// are left out, as is quitting.
func Browser(p Place) map[string]Action {
	actions := make(map[string]Action)
	for _, b := range Bindings(p) {
		for _, k := range b.Keys {
			code, named := codes[k]
			if !named {
				code = k
			}
			if _, bound := actions[code]; !bound && !browserOwn[k] {
				actions[code] = b.Action
			}
		}
	}
	return actions
}
