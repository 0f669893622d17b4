package status

import (
	"fmt"
	"math"
	"strings"
	"time"

	"airqa/internal/terminal"
)

// Text describes the status in a few lines, wrapped to a width unless that is 0.
func (s Status) Text(width int) string {
	title := fmt.Sprintf("%s: %s, %s", s.Run, s.Baseline, s.Model)
	if s.Shard != "" {
		title += ", shard " + s.Shard
	}
	if s.Shards != nil {
		title += ", " + s.Shards.text()
	}
	lines := []string{title, "  " + s.progress()}
	for _, part := range []string{s.ways(), s.failures(), s.CutText(), s.RefusedText(), s.costs(), s.pace(), s.waiting(), s.ahead()} {
		if part != "" {
			lines = append(lines, "  "+part)
		}
	}
	if s.Merged != nil && s.Left > 0 {
		lines = append(lines, fmt.Sprintf("  merged from %d of %d shards", len(s.Merged.Shards), s.Merged.Of))
	}
	if s.Missing != nil {
		lines = append(lines, "  "+s.Missing.String())
	}
	if s.BadLines > 0 {
		lines = append(lines, fmt.Sprintf("  %d unreadable log lines; airqa trace lists them", s.BadLines))
	}
	for i, line := range lines {
		lines[i] = terminal.Wrap(line, width, "    ")
	}
	return strings.Join(lines, "\n")
}

// Brief describes the status in one line.
func (s Status) Brief() string {
	parts := []string{fmt.Sprintf("%d/%d done", s.Done, s.Episodes)}
	if s.Shard != "" {
		parts = append([]string{"shard " + s.Shard}, parts...)
	}
	if s.Shards != nil {
		parts = append([]string{s.Shards.text()}, parts...)
	}
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(s.InFlight, s.open())
	add(s.Failed, "failed")
	if s.Rate != nil && s.Writing {
		parts = append(parts, fmt.Sprintf("%s/min", short(s.Rate.EpisodesPerMinute)), short(s.Rate.TokensPerSecond)+" tok/s")
	}
	if s.USD != nil && *s.USD > 0 {
		parts = append(parts, terminal.USD(*s.USD))
	}
	switch {
	case !s.Writing:
		parts = append(parts, "idle")
	case s.SecondsLeft != nil:
		parts = append(parts, span(*s.SecondsLeft)+" left")
	}
	return terminal.Line(s.Run + ": " + strings.Join(parts, ", "))
}

func (s Status) open() string {
	if s.Writing {
		return "in flight"
	}
	return "interrupted"
}

func (s Status) progress() string {
	state := "idle"
	if s.Writing {
		state = "running"
	}
	text := fmt.Sprintf("%s: %d/%d episodes done", state, s.Done, s.Episodes)
	if s.InFlight > 0 {
		text += fmt.Sprintf(", %d %s", s.InFlight, s.open())
	}
	if s.Failed > 0 {
		text += fmt.Sprintf(", %d failed", s.Failed)
	}
	list := "file"
	if s.Shard != "" {
		list = "shard"
	}
	text += fmt.Sprintf(", %d left, of %d questions in the %s", s.Left, s.Questions, list)
	if s.Repeats > 1 {
		text += fmt.Sprintf(" × %d repeats", s.Repeats)
	}
	return text
}

// ways lists the outcomes, the most frequent first.
func (s Status) ways() string {
	var parts []string
	for _, o := range byCount(s.Outcomes) {
		parts = append(parts, fmt.Sprintf("%s %d", o, s.Outcomes[o]))
	}
	return strings.Join(parts, ", ")
}

func (s Status) failures() string {
	if s.Failed == 0 {
		return ""
	}
	return fmt.Sprintf("failed, %d of %d because: %s", s.BecauseCount, s.Failed, terminal.Clip(s.Because, 200))
}

// CutText counts the truncated replies; "" if there were none.
func (s Status) CutText() string {
	if s.CutReplies == 0 {
		return ""
	}
	replies := s.replies(s.CutReplies)
	if s.ReplyLimit == 0 {
		return replies + " cut off at the token limit"
	}
	return fmt.Sprintf("%s cut off by --max-tokens %d or the context window", replies, s.ReplyLimit)
}

// RefusedText counts the refused replies; "" if there were none.
func (s Status) RefusedText() string {
	if s.RefusedReplies == 0 {
		return ""
	}
	return s.replies(s.RefusedReplies) + " refused by the model or stopped by the endpoint's content filter"
}

// replies begins a sentence about n of the replies.
func (s Status) replies(n int) string {
	if s.Replies == 1 {
		return "the only reply was"
	}
	return fmt.Sprintf("%d of %d replies were", n, s.Replies)
}

func (s Status) costs() string {
	text := fmt.Sprintf("%s tokens in, %s out", short(float64(s.Usage.Prompt)), short(float64(s.Usage.Completion)))
	if s.Usage.Estimated {
		text += " (partly estimated; the endpoint reported no usage)"
	}
	if n := s.Charged.Prompt + s.Charged.Completion; n > 0 {
		text += fmt.Sprintf("; up to %s more for failed requests", short(float64(n)))
	}
	return text + "; " + terminal.Cost(s.USD, "cost unknown")
}

func (s Status) pace() string {
	if s.Rate == nil {
		return ""
	}
	back := "last " + span(s.Rate.Seconds)
	if !s.Writing {
		back += " of it"
	}
	text := fmt.Sprintf("%s: %s episodes/min, %s tok/s", back, short(s.Rate.EpisodesPerMinute), short(s.Rate.TokensPerSecond))
	if s.Rate.Refused+s.Rate.Broken > 0 {
		text += fmt.Sprintf("; of %d requests %d refused (429), %d failed, %s waited", s.Rate.Requests, s.Rate.Refused, s.Rate.Broken, span(s.Rate.Waited))
	}
	return text
}

func (s Status) waiting() string {
	const patience = 60 // seconds of silence that are worth a line
	if s.Oldest == nil || *s.Oldest < patience {
		return ""
	}
	return fmt.Sprintf("an episode has been silent for %s: a long call or a retry", span(*s.Oldest))
}

func (s Status) ahead() string {
	var parts []string
	if s.SecondsLeft != nil {
		parts = append(parts, "about "+span(*s.SecondsLeft)+" for the remaining episodes")
	}
	if s.Quiet != nil {
		parts = append(parts, "last event "+span(*s.Quiet)+" ago")
	} else {
		parts = append(parts, "no events yet")
	}
	return strings.Join(parts, "; ")
}

// span is 12s, 3m20s, 5h10m, 4d3h.
func span(seconds float64) string {
	if seconds >= 1e9 || math.IsNaN(seconds) {
		return "a very long time"
	}
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%dh", int(d.Hours())/24, int(d.Hours())%24)
}

// short is 0.25, 9.5, 950, 1.2k, 34k, 1.2M.
func short(x float64) string {
	if x >= 9.95 || x == math.Trunc(x) {
		return terminal.Compact(x)
	}
	return fmt.Sprintf("%.2g", x)
}

// Screen fits the status into a terminal: in full, or as a line per run, as many as there is room for.
func Screen(all []Status, width, height int) string {
	var full, brief []string
	for _, s := range all {
		full = append(full, s.Text(width-1))
		brief = append(brief, terminal.Clip(s.Brief(), width-2))
	}
	text := strings.Join(full, "\n")
	if strings.Count(text, "\n")+2 < height {
		return text
	}
	if room := max(height-3, 1); len(brief) > room {
		brief = append(brief[:room], fmt.Sprintf("and %d more", len(all)-room))
	}
	return strings.Join(brief, "\n")
}
