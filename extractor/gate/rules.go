package gate

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"airqa/extractor/candidate"
	"airqa/internal/python"
	"airqa/tools"
)

// Phrases that only a reader of the material understands.
const (
	shown = `table|figure|fig\.?|section|sections|text|passage|excerpt|snippet|image|picture|chart|plot|diagram|equation|formula|material|context|` +
		`paragraph|caption|page|abstract|metadata|bibliographic data|document`
	aside = `above|below|shown|given|provided|following|here`
)

var (
	pointing = regexp.MustCompile(`(?i)\b(?:(?:this|these|those) (?:` + shown + `)|the (?:` + aside + `) (?:` + shown + `)|the (?:` + shown + `) (?:` + aside + `)|` +
		`(?:in|to|from|on|by) the (?:text|passage|excerpt|snippet|material|context|caption|paragraph|page))\b`)
	thisPaper = regexp.MustCompile(`(?i)\b(?:this|the given|the above|the following) (?:paper|work|study|article|approach|method)\b`)
	choice    = regexp.MustCompile(`(?i)\bor\b|\bbetween\b`)
)

// selfContained checks that the question can be read without the material, does not contain its answer, and does not
// name the paper that it asks for.
func selfContained(_ context.Context, _ Tools, s Subject) (Verdict, error) {
	question, sought := s.Example.Question, s.kind() != candidate.Single
	if m := pointing.FindString(question); m != "" {
		return rejected(candidate.PointsAtPage, "%q points at something that the reader does not see", m), nil
	}
	if m := thisPaper.FindString(question); m != "" && sought {
		return rejected(candidate.PointsAtPage, "%q does not say which", m), nil
	}
	if name := namedIn(question, s.Material.Paper.Title); name != "" && sought {
		return rejected(candidate.NamesPaper, "the question contains %q", name), nil
	}
	for _, text := range []string{question, s.Example.AnswerFormat} {
		if leak := leaked(text, s.Answer); leak != "" && (text != question || !choice.MatchString(question)) {
			return rejected(candidate.LeaksAnswer, "%q contains the answer %q", cut(text), cut(leak)), nil
		}
	}
	return Verdict{}, nil
}

// namedIn returns the title, or the name before its colon, if a question contains it.
func namedIn(question, title string) string {
	name, _, hasName := strings.Cut(title, ":")
	switch {
	case holds(question, title):
		return title
	case hasName && len(wordsOf(name)) <= 3 && holds(question, name):
		return name
	}
	return ""
}

// minLeak is the number of characters from which a word of the answer in the question is a leak; short words and numbers
// may be there by chance.
const minLeak = 3

// leaked returns the part of an answer that a text contains: the whole answer, or an element of a list.
func leaked(text, answer string) string {
	parts := []string{answer}
	if v, ok := python.Read(answer); ok {
		parts = nil
		switch x := v.(type) {
		case bool:
			return ""
		case python.List:
			for _, item := range x {
				parts = append(parts, python.Str(item))
			}
		default:
			parts = append(parts, python.Str(x))
		}
	}
	for _, part := range parts {
		if utf8.RuneCountInString(strings.TrimSpace(part)) >= minLeak && !truthWord(part) && holds(text, part) {
			return part
		}
	}
	return ""
}

func truthWord(text string) bool {
	return slices.Contains([]string{"yes", "no", "true", "false"}, strings.ToLower(strings.TrimSpace(text)))
}

// searched is the number of passages that are searched for another paper.
const searched = 20

// Limits of [Unique]: a second paper fits if its title and abstract contain almost as many words of the question as those
// of the right one.
const (
	minCoverage = 0.3
	nearly      = 0.85
)

// unique checks that no second paper of the collection fits the question: the right one is the first that a search finds,
// and its title and abstract have clearly more of the question's words.
func unique(ctx context.Context, t Tools, s Subject) (Verdict, error) {
	hits, err := t.Search.Retrieve(ctx, s.Example.Question, searched, tools.Scope{})
	if err != nil {
		return Verdict{}, err
	}
	own := s.Material.Paper
	if len(hits) == 0 || hits[0].PDFID != own.ID {
		return rejected(candidate.NotRetrieved, "a search for the question finds another paper first"), nil
	}
	words := content(s.Example.Question)
	most := coverage(words, own.Title+" "+own.Abstract)
	if most < minCoverage {
		return rejected(candidate.NotRetrieved, "title and abstract have %.0f %% of the question's words", 100*most), nil
	}
	seen := map[string]bool{own.ID: true}
	for _, h := range hits {
		if seen[h.PDFID] {
			continue
		}
		seen[h.PDFID] = true
		text, err := t.Papers.Describe(ctx, h.PDFID)
		if err != nil {
			return Verdict{}, err
		}
		if c := coverage(words, text); c >= nearly*most {
			return rejected(candidate.SecondPaper, "paper %s has %.0f %% of the question's words, the right one %.0f %%", h.PDFID, 100*c, 100*most), nil
		}
	}
	return Verdict{}, nil
}
