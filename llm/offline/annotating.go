package offline

import (
	"fmt"
	"maps"
	"regexp"
)

var annotated = regexp.MustCompile(`(?s)^You are a reference librarian\b.*\nRequirement: ([^\n]*)\n.*?\n(=+\S+=+)\n(.*)\n(=+\S+=+)\n`)

// generic words of requirements say nothing about the subject.
var generic = setOf("the a an and or of in on to for from by with is are be that which this paper papers work method methods approach study")

// annotate decides how far an abstract meets a requirement by the share of its words that the abstract has; false for
// other prompts.
func annotate(prompt string) (string, bool) {
	m := annotated.FindStringSubmatch(prompt)
	if m == nil {
		return "", false
	}
	wanted := setOf(m[1])
	maps.DeleteFunc(wanted, func(word string, _ bool) bool { return generic[word] })
	share, verdict := overlap(wanted, setOf(m[3])), "DISAGREE"
	switch {
	case share >= 0.75:
		verdict = "CONCUR"
	case share >= 0.5:
		verdict = "AGREE"
	case share >= 0.25:
		verdict = "DISPUTE"
	}
	return fmt.Sprintf("The abstract has %.0f %% of the words of the requirement; this compares words only.\n%s", 100*share, verdict), true
}
