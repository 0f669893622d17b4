package keys

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
