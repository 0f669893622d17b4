package viewer

import (
	"slices"
	"strings"
)

// place is a page where a key works. It is the heading of its keys in the help.
type place string

// The places. A key of everywhere works in all others, too, unless one of them binds it.
const (
	everywhere place = "Everywhere"
	// listPage is the list of episodes.
	listPage place = "List"
	// episodePage is one trajectory.
	episodePage place = "Episode"
	// queuePage is one trajectory of the wrong answers without a decision.
	queuePage place = "Triage"
)

// binding is one action, by its name in keys.js, with its keys, the preferred one first, by their names in KeyboardEvent.key.
// Keys that a browser or a screen reader handles itself, such as the space bar, are bound to nothing.
type binding struct {
	action string
	keys   []string
	where  []place
	// help describes the action in a few words, without a full stop.
	help string
}

// bindings is in the order of the help. Movement follows mini-swe-agent's inspector, search and marks follow less and vi.
var bindings = []binding{
	{"open", []string{"Enter"}, []place{listPage}, "open the episode"},
	{"down", []string{"j", "ArrowDown"}, []place{listPage}, "next row"},
	{"up", []string{"k", "ArrowUp"}, []place{listPage}, "previous row"},
	{"first", []string{"0", "g"}, []place{listPage}, "first row"},
	{"last", []string{"$", "G"}, []place{listPage}, "last row"},
	{"filter", []string{"f"}, []place{listPage}, "filter"},
	{"sort", []string{"s"}, []place{listPage}, "sort by the next column"},
	{"next_step", []string{"l", "ArrowRight"}, []place{episodePage, queuePage}, "next step"},
	{"previous_step", []string{"h", "ArrowLeft"}, []place{episodePage, queuePage}, "previous step"},
	{"next_episode", []string{"L"}, []place{episodePage}, "next episode of the list"},
	{"previous_episode", []string{"H"}, []place{episodePage}, "previous episode of the list"},
	{"next_episode", []string{"L"}, []place{queuePage}, "skip to the next undecided answer"},
	{"down", []string{"j", "ArrowDown"}, []place{episodePage, queuePage}, "scroll down"},
	{"up", []string{"k", "ArrowUp"}, []place{episodePage, queuePage}, "scroll up"},
	{"first", []string{"0", "g"}, []place{episodePage, queuePage}, "first step"},
	{"last", []string{"$", "G"}, []place{episodePage, queuePage}, "last step"},
	{"next_mark", []string{"]"}, []place{episodePage, queuePage}, "next mark: an error, an empty, repeated or cut result"},
	{"previous_mark", []string{"["}, []place{episodePage, queuePage}, "previous mark"},
	{"diff", []string{"d"}, []place{episodePage, queuePage}, "compare with the same question in another run"},
	{"copy", []string{"y"}, []place{episodePage, queuePage}, "copy the episode as Markdown"},
	{"comment", []string{"c"}, []place{episodePage, queuePage}, "write a comment on the step"},
	{"set_cause", []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}, []place{queuePage}, "set the cause"},
	{"accept", []string{"Enter"}, []place{queuePage}, "accept the cause that the rules found"},
	{"undo", []string{"u"}, []place{queuePage}, "undo the last decision"},
	{"triage", []string{"t"}, []place{listPage, episodePage}, "triage: name the cause of each wrong answer"},
	{"page_up", []string{"b"}, []place{everywhere}, "one page up"},
	{"search", []string{"/"}, []place{everywhere}, "search all episodes"},
	{"back", []string{"Escape"}, []place{everywhere}, "back"},
	{"help", []string{"?"}, []place{everywhere}, "this help"},
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

type helpLine struct{ Keys, Help string }

type helpSection struct {
	Place place
	Lines []helpLine
}

// keyHelp returns the help of a place: its own keys, then those of everywhere.
func keyHelp(p place) []helpSection {
	var sections []helpSection
	for _, place := range []place{p, everywhere} {
		s := helpSection{Place: place}
		for _, b := range bindings {
			if slices.Contains(b.where, place) {
				s.Lines = append(s.Lines, helpLine{b.label(), b.help})
			}
		}
		sections = append(sections, s)
	}
	return sections
}

// keyActions returns the actions of a place by KeyboardEvent.key.
func keyActions(p place) map[string]string {
	actions := make(map[string]string)
	for _, place := range []place{everywhere, p} {
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
