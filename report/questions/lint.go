package questions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"airqa/eval"
	"airqa/eval/author"
	"airqa/internal/lazyregexp"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
)

// Rule names a kind of [Finding].
type Rule string

// The rules.
const (
	RuleForm       Rule = "form"       // the record does not match the format
	RuleEvaluator  Rule = "evaluator"  // a fault of the evaluator itself
	RuleGold       Rule = "gold"       // the question's own gold does not pass
	RuleReward     Rule = "reward"     // the reward can be earned without knowing the answer
	RuleTags       Rule = "tags"       // missing, unknown or contradictory tags
	RuleEvaluation Rule = "evaluation" // the evaluation tag contradicts the evaluator
	RulePapers     Rule = "papers"     // papers that contradict the question type
	RuleConference Rule = "conference" // conferences that contradict the question type
	RuleID         Rule = "id"         // an id that is not a UUID
	RuleDuplicate  Rule = "duplicate"  // a duplicate question or paper
)

// Finding is a fault of a question.
type Finding struct {
	Severity eval.Severity `json:"severity"`
	dataset.Place
	Rule Rule `json:"rule"`
	// Mode is the scoring mode in which a gold does not pass or a reward is weak; empty if it does not matter.
	Mode eval.Mode `json:"mode,omitempty"`
	Text string    `json:"text"`
}

// Lint returns the faults of a file's questions in line order: what prevents scoring them as written, and
// contradictions. It assumes that judges accept golds and asks none.
func Lint(ctx context.Context, f author.File) ([]Finding, error) {
	var all []Finding
	for _, fault := range f.Faults() {
		severity := eval.Error
		if fault.Loaded {
			severity = eval.Warning
		}
		all = append(all, Finding{Severity: severity, Place: fault.Place, Rule: RuleForm, Text: fault.Text})
	}
	asked := make(map[string]string) // the places by question and papers
	for _, it := range f.Questions {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l := linter{at: it}
		l.scoring(ctx)
		l.tags()
		l.evaluation()
		l.papers()
		l.conferences()
		l.ids()
		papers := it.Papers()
		slices.Sort(papers)
		key := strings.Join(strings.Fields(strings.ToLower(it.Question)), " ") + "\x00" + strings.Join(papers, "\x00")
		if first, again := asked[key]; again {
			l.say(eval.Warning, RuleDuplicate, "the same question on the same papers is at %s", first)
		} else {
			asked[key] = fmt.Sprintf("%s:%d", it.Place.File, it.Place.Line)
		}
		all = append(all, l.found...)
	}
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line) })
	return all, nil
}

// Errors counts the findings that are errors.
func Errors(list []Finding) int {
	n := 0
	for _, f := range list {
		if f.Severity == eval.Error {
			n++
		}
	}
	return n
}

// FindingsSummary is the number of findings in one line.
func FindingsSummary(list []Finding, s Stats) string {
	questions := make(map[string]bool)
	for _, f := range list {
		questions[fmt.Sprint(f.File, ":", f.Line)] = true
	}
	if len(list) == 0 {
		return fmt.Sprintf("%s: %s, no errors or warnings", s.Source, terminal.Plural(s.Questions, "question"))
	}
	errs := Errors(list)
	return fmt.Sprintf("%s: %s, %s and %s in %s", s.Source, terminal.Plural(s.Questions, "question"), terminal.Plural(errs, "error"),
		terminal.Plural(len(list)-errs, "warning"), terminal.Plural(len(questions), "line"))
}

// linter checks one question.
type linter struct {
	at    author.Question
	found []Finding
}

func (l *linter) say(s eval.Severity, r Rule, format string, args ...any) {
	l.found = append(l.found, Finding{Severity: s, Place: l.at.Place, Rule: r, Text: fmt.Sprintf(format, args...)})
}

// scoring reports the evaluator's own faults, and that the reward can be earned without knowing the answer: once if both
// modes agree.
func (l *linter) scoring(ctx context.Context) {
	for _, f := range eval.Lint(ctx, l.at.Example) {
		if f.Mode == "" {
			l.say(f.Severity, RuleEvaluator, "%s", f.Text)
			continue
		}
		l.say(f.Severity, RuleGold, "scoring %s: %s", f.Mode, f.Text)
		l.found[len(l.found)-1].Mode = f.Mode
	}
	reasons := make(map[eval.Mode]string)
	for _, m := range []eval.Mode{eval.Reference, eval.Fixed} {
		reasons[m] = eval.New(eval.Config{Mode: m}).Weakness(ctx, l.at.Evaluator).Reason
	}
	if reason := reasons[eval.Fixed]; reason != "" && reason == reasons[eval.Reference] {
		l.say(eval.Warning, RuleReward, "scoring in both modes: %s", reason)
		return
	}
	for _, m := range []eval.Mode{eval.Reference, eval.Fixed} {
		if reasons[m] != "" {
			l.say(eval.Warning, RuleReward, "scoring %s: %s", m, reasons[m])
			l.found[len(l.found)-1].Mode = m
		}
	}
}

// tags requires exactly one type and one evaluation, at least one element, and no other tag, like the authors' check. A question
// without an evaluator needs no evaluation.
func (l *linter) tags() {
	l.family("question type", qa.TypeTags)
	if l.at.Evaluator.Func != "" || len(having(l.at.Example, qa.EvaluationTags)) > 1 {
		l.family("evaluation", qa.EvaluationTags)
	}
	if !slices.ContainsFunc(l.at.Tags, func(t string) bool { return slices.Contains(qa.ElementTags, t) || t == strayImage }) {
		l.say(eval.Warning, RuleTags, "no element tag (%s)", strings.Join(qa.ElementTags, ", "))
	}
	for _, tag := range unique(l.at.Tags) {
		switch {
		case tag == strayImage:
			l.say(eval.Warning, RuleTags, "the tag %q is counted as image", tag)
		case !slices.Contains(slices.Concat(qa.TypeTags, qa.ElementTags, qa.EvaluationTags), tag):
			l.say(eval.Warning, RuleTags, "the tag %q is unknown", tag)
		}
	}
	if len(unique(l.at.Tags)) < len(l.at.Tags) {
		l.say(eval.Warning, RuleTags, "duplicate tag")
	}
}

func (l *linter) family(name string, family []string) {
	switch has := having(l.at.Example, family); len(has) {
	case 0:
		l.say(eval.Error, RuleTags, "no %s tag (%s)", name, strings.Join(family, ", "))
	case 1:
	default:
		l.say(eval.Error, RuleTags, "more than one %s tag: %s", name, strings.Join(has, ", "))
	}
}

func (l *linter) evaluation() {
	does := kind(l.at.Evaluator)
	switch {
	case l.at.Evaluator.Func == "":
	case l.at.HasTag("objective") && does == "subjective":
		l.say(eval.Warning, RuleEvaluation, "tagged objective, but %s uses a judge", l.at.Evaluator.Func)
	case l.at.HasTag("subjective") && does == "objective":
		l.say(eval.Warning, RuleEvaluation, "tagged subjective, but %s uses no judge", l.at.Evaluator.Func)
	}
}

// papers checks the number of papers against the type (paper, Section 2.2).
func (l *linter) papers() {
	anchors, references := len(l.at.AnchorPDF), len(l.at.ReferencePDF)
	switch {
	case l.at.HasTag("single") && (anchors != 1 || references != 0):
		l.say(eval.Warning, RulePapers, "a single question needs one anchor and no reference, not %d and %d", anchors, references)
	case l.at.HasTag("multiple") && anchors == 0:
		l.say(eval.Warning, RulePapers, "a multiple question has no anchor")
	case l.at.HasTag("multiple") && anchors+references < 2:
		l.say(eval.Warning, RulePapers, "a multiple question names one paper only")
	case l.at.HasTag("retrieval") && anchors+references > 0:
		l.say(eval.Warning, RulePapers, "a retrieval question names %s", terminal.Plural(anchors+references, "paper"))
	}
	if anchors+references > len(l.at.Papers()) {
		l.say(eval.Warning, RuleDuplicate, "duplicate paper")
	}
}

// venueYear matches a conference as written in paper ids.
var venueYear = lazyregexp.New(`^[a-z]+[0-9]{4}$`)

func (l *linter) conferences() {
	scoped := l.at.HasTag("retrieval") || l.at.HasTag("comprehensive")
	switch n := len(l.at.Conference); {
	case n > 0 && !scoped && (l.at.HasTag("single") || l.at.HasTag("multiple")):
		l.say(eval.Warning, RuleConference, "a question about given papers names a conference: %s", strings.Join(l.at.Conference, ", "))
	case n == 0 && scoped && len(l.at.Papers()) > 0: // without papers it is about all of them
		l.say(eval.Warning, RuleConference, "a question about a conference names papers and no conference")
	}
	for _, c := range l.at.Conference {
		if !venueYear.MatchString(c) {
			l.say(eval.Warning, RuleConference, "the conference %q is not a lower-case name with a year, such as acl2023", c)
		}
	}
}

func (l *linter) ids() {
	if !qa.IsUUID(l.at.UUID) {
		l.say(eval.Warning, RuleID, "the id %q is not a UUID", l.at.UUID)
	}
	for _, id := range l.at.Papers() {
		if !qa.IsUUID(id) {
			l.say(eval.Warning, RuleID, "the paper %q is not a UUID: tools reject it", id)
		}
	}
}
