package gate

import (
	"context"

	"airqa/extractor/candidate"
	"airqa/internal/lazyregexp"
	"airqa/tools"
)

// Phrases that only a reader of the material understands.
const (
	shown = `table|figure|fig\.?|section|sections|text|passage|excerpt|snippet|image|picture|chart|plot|diagram|equation|formula|` +
		`material|context|` +
		`paragraph|caption|page|abstract|metadata|bibliographic data|document`
	aside = `above|below|shown|given|provided|following|here`
)

var (
	pointing = lazyregexp.New(`(?i)\b(?:(?:this|these|those) (?:` + shown + `)|the (?:` + aside + `) (?:` + shown + `)|` +
		`the (?:` + shown + `) (?:` + aside + `)|` +
		`(?:in|to|from|on|by) the (?:text|passage|excerpt|snippet|material|context|caption|paragraph|page))\b`)
	thisPaper = lazyregexp.New(`(?i)\b(?:this|the given|the above|the following) (?:paper|work|study|article|approach|method)\b`)
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
	if name := namedIn(question, s.Material); name != "" && sought {
		return rejected(candidate.NamesPaper, "the question contains %q", name), nil
	}
	for _, part := range answerParts(s.Answer) {
		if leaksIn(question, part) {
			return rejected(candidate.LeaksAnswer, "%q contains the answer %q", cut(question), cut(part)), nil
		}
		if leaksInFormat(s.Example.AnswerFormat, part) {
			return rejected(candidate.LeaksAnswer, "%q contains the answer %q", cut(s.Example.AnswerFormat), cut(part)), nil
		}
	}
	return Verdict{}, nil
}

// Limits of [Unique]: a second paper fits if its title and abstract contain almost as many words of the question as those
// of the right one.
const (
	minCoverage = 0.3
	nearly      = 0.85
)

// unique checks that no second paper of the collection fits the question: the right one is the first that a search finds,
// and its title and abstract have clearly more of the question's words.
func unique(ctx context.Context, t Tools, s Subject) (Verdict, error) {
	hits, err := t.Retrieve(ctx, s.Example.Question, 20, tools.Scope{})
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
		other, err := t.Paper(ctx, h.PDFID)
		if err != nil {
			return Verdict{}, err
		}
		if c := coverage(words, other.Title+"\n"+other.Abstract); c >= nearly*most {
			return rejected(candidate.SecondPaper, "paper %s has %.0f %% of the question's words, the right one %.0f %%",
				h.PDFID, 100*c, 100*most), nil
		}
	}
	return Verdict{}, nil
}
