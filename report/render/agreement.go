package render

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"airqa/eval/judge"
	"airqa/internal/terminal"
)

// Agreement prints how far a judge agrees with labels: as text, or as one line of JSON.
func Agreement(w io.Writer, r judge.Summary, o Options) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d labelled answers, %d judged by %s, %d without a verdict", r.Labels, r.Judged, r.Judge, r.Unscored)
	if r.Agreement.NotAsked > 0 {
		fmt.Fprintf(&b, ", %d decided without the judge", r.Agreement.NotAsked)
	}
	b.WriteString("\n")
	fmt.Fprintf(&b, "agreement %s, Cohen's kappa %s\n\n", shareText(r.Share, r.Judged), kappaText(r.Kappa))
	fmt.Fprintf(&b, "                 label true  label false\n")
	fmt.Fprintf(&b, "judge says true  %10d  %11d\n", r.TruePositive, r.FalsePositive)
	fmt.Fprintf(&b, "judge says false %10d  %11d\n", r.FalseNegative, r.TrueNegative)
	if len(r.Members) > 0 {
		fmt.Fprintf(&b, "\namong the judges: Fleiss' kappa %s\n", kappaText(r.PanelKappa))
	}
	for _, m := range r.Members {
		fmt.Fprintf(&b, "  %s: agreement %s, %d failed\n", terminal.Line(m.Judge), shareText(m.Share, m.Judged), m.Failed)
	}
	writeLabels(&b, "the judge disagrees", r.Disagreements)
	writeLabels(&b, "without a verdict", r.Without)
	writeLabels(&b, "decided without the judge", r.NotAsked)
	if s := r.Spent; s.Calls+s.Known+s.Failed > 0 {
		fmt.Fprintf(&b, "\n%d replies (%d prompt and %d completion tokens), %d failed calls, %d cached verdicts\n",
			s.Calls, s.Usage.Prompt, s.Usage.Completion, s.Failed, s.Known)
	}
	return Document{Data: []any{r}, Parts: []Part{{Preformatted: b.String()}}}.Write(w, o)
}

func shareText(s judge.Share, n int) string {
	if s.Rate == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.2f %% (%d of %d; %.0f %% interval %.2f to %.2f)",
		100**s.Rate, s.Agree, n, 100*s.Level, 100*s.Interval.Low, 100*s.Interval.High)
}

func kappaText(x *float64) string {
	if x == nil {
		return "undefined"
	}
	return strconv.FormatFloat(*x, 'f', 3, 64)
}

func writeLabels(b *strings.Builder, title string, lines []judge.LabelLine) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	var shown []string
	for _, l := range lines {
		fmt.Fprintf(b, "  line %d, label %t: %s | %s\n", l.Line, l.Right, terminal.Clip(l.Question, 71), terminal.Clip(l.Text, 71))
		// An error that ended the judge is part of all later ones.
		again := func(reason string) bool { return strings.HasSuffix(l.Reason, reason) }
		if l.Reason != "" && !slices.ContainsFunc(shown, again) {
			fmt.Fprintf(b, "    %s\n", terminal.Line(terminal.Clip(l.Reason, 200))) // an endpoint may send a page
			shown = append(shown, l.Reason)
		}
	}
}
