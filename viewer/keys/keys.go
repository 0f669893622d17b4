// Package keys lists the keyboard shortcuts of the web viewer: [Actions] returns those that work on a page, [Help] the
// sections of the help on "?". It handles no key itself.
package keys

import (
	"slices"
	"strings"
)

// Place is a page where a key works. It is the heading of its keys in the help.
type Place string

// The places. A key of Everywhere works in all others, too, unless one of them binds it.
const (
	Everywhere Place = "Everywhere"
	// List is the list of episodes.
	List Place = "List"
	// Episode is one trajectory.
	Episode Place = "Episode"
	// Queue is one trajectory of the wrong answers without a decision.
	Queue Place = "Triage"
)

// binding is one action, by its name in keys.js, with its keys, the preferred one first, by their names in KeyboardEvent.key.
// Keys that a browser or a screen reader handles itself, such as the space bar, are bound to nothing.
type binding struct {
	action string
	keys   []string
	where  []Place
	// help describes the action in a few words, without a full stop.
	help string
}

// bindings is in the order of the help. Movement follows mini-swe-agent's inspector, search and marks follow less and vi.
var bindings = []binding{
	{"open", []string{"Enter"}, []Place{List}, "open the episode"},
	{"down", []string{"j", "ArrowDown"}, []Place{List}, "next row"},
	{"up", []string{"k", "ArrowUp"}, []Place{List}, "previous row"},
	{"first", []string{"0", "g"}, []Place{List}, "first row"},
	{"last", []string{"$", "G"}, []Place{List}, "last row"},
	{"filter", []string{"f"}, []Place{List}, "filter"},
	{"sort", []string{"s"}, []Place{List}, "sort by the next column"},
	{"next_step", []string{"l", "ArrowRight"}, []Place{Episode, Queue}, "next step"},
	{"previous_step", []string{"h", "ArrowLeft"}, []Place{Episode, Queue}, "previous step"},
	{"next_episode", []string{"L"}, []Place{Episode}, "next episode of the list"},
	{"previous_episode", []string{"H"}, []Place{Episode}, "previous episode of the list"},
	{"next_episode", []string{"L"}, []Place{Queue}, "skip to the next undecided answer"},
	{"down", []string{"j", "ArrowDown"}, []Place{Episode, Queue}, "scroll down"},
	{"up", []string{"k", "ArrowUp"}, []Place{Episode, Queue}, "scroll up"},
	{"first", []string{"0", "g"}, []Place{Episode, Queue}, "first step"},
	{"last", []string{"$", "G"}, []Place{Episode, Queue}, "last step"},
	{"next_mark", []string{"]"}, []Place{Episode, Queue}, "next mark: an error, an empty, repeated or cut result"},
	{"previous_mark", []string{"["}, []Place{Episode, Queue}, "previous mark"},
	{"diff", []string{"d"}, []Place{Episode, Queue}, "compare with the same question in another run"},
	{"copy", []string{"y"}, []Place{Episode, Queue}, "copy the episode as Markdown"},
	{"comment", []string{"c"}, []Place{Episode, Queue}, "write a comment on the step"},
	{"set_cause", []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}, []Place{Queue}, "set the cause"},
	{"accept", []string{"Enter"}, []Place{Queue}, "accept the cause that the rules found"},
	{"undo", []string{"u"}, []Place{Queue}, "undo the last decision"},
	{"triage", []string{"t"}, []Place{List, Episode}, "triage: name the cause of each wrong answer"},
	{"page_up", []string{"b"}, []Place{Everywhere}, "one page up"},
	{"search", []string{"/"}, []Place{Everywhere}, "search all episodes"},
	{"back", []string{"Escape"}, []Place{Everywhere}, "back"},
	{"help", []string{"?"}, []Place{Everywhere}, "this help"},
}

// symbols are shown for named keys.
var symbols = map[string]string{"Escape": "Esc", "ArrowLeft": "←", "ArrowRight": "→", "ArrowUp": "↑", "ArrowDown": "↓"}

// label names the keys of a binding for people: "l →", "1–9".
func (b binding) label() string {
	if b.action == "set_cause" {
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
	Place Place
	Lines []Line
}

// Help returns the help of a place: its own keys, then those of everywhere.
func Help(p Place) []Section {
	var sections []Section
	for _, place := range []Place{p, Everywhere} {
		s := Section{Place: place}
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
func Actions(p Place) map[string]string {
	actions := make(map[string]string)
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
