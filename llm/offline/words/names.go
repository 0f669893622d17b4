package words

import (
	"regexp"
	"slices"
)

var (
	namePattern = regexp.MustCompile(`\p{Lu}?[\p{L}\p{N}]*\p{Ll}\p{Lu}[\p{L}\p{N}]*(?:-[\p{L}\p{N}]+)*|\p{Lu}[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*`)
	openers     = Stems("in on at by from what which how who where when why is are was were does do did find name give according the for of can could among between " +
		"figure table section equation appendix python")
)

// Opens tells that a stem is of a word that questions open with or point with; its capital makes no name of it.
func Opens(stem string) bool { return openers[stem] }

// Names are the words of a text that look like names of methods, data sets or models.
func Names(text string) []string {
	var list []string
	for _, n := range namePattern.FindAllString(text, -1) {
		if !Opens(Stem(n)) && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}
