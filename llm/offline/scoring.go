package offline

import (
	"fmt"
	"maps"

	"airqa/internal/lazyregexp"
)

// The parts of a judge's prompt.
var (
	asksVerdict  = lazyregexp.New(`^You grade\b`)
	verdictFence = lazyregexp.New("```(\\S*)\nTrue/False\n```")
	references   = lazyregexp.New(`(?s)\n\[(?:Reference|Scoring)[^\]]*\](?: \(\d+\))?:\n+(.*?)\n\n\[`)
	prediction   = lazyregexp.New(`(?s)\[Predicted Answer\]:\n(=+\S*=+)\n(.*)\n(=+\S*=+)\n`)
)

// enough is the share of the reference's words that an answer must have.
const enough = 0.7

// grade answers the prompt of a judge: an answer passes that has most words of the reference, and not many others.
func grade(system, user string) (string, bool) {
	fence, said := verdictFence.FindStringSubmatch(system), prediction.FindStringSubmatch(user)
	wanted := references.FindStringSubmatch(user)
	if !asksVerdict.MatchString(system) || fence == nil || said == nil || wanted == nil {
		return "", false
	}
	reference, answer := setOf(wanted[1]), setOf(said[2])
	verdict := "False"
	if overlap(reference, answer) >= enough && overlap(answer, reference) >= enough {
		verdict = "True"
	}
	return fmt.Sprintf("This compares words only.\n```%s\n%s\n```", fence[1], verdict), true
}

// overlap is the share of a set's words in another set.
func overlap(of, in map[string]bool) float64 {
	n := 0
	for w := range of {
		if in[w] {
			n++
		}
	}
	return float64(n) / float64(max(len(of), 1))
}

var annotated = lazyregexp.New(`(?s)^You are a reference librarian\b.*\nRequirement: ([^\n]*)\n.*?\n(=+\S+=+)\n(.*)\n(=+\S+=+)\n`)

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
