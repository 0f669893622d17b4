package main

import (
	"errors"
	"fmt"
	"strings"

	"airqa/extractor"
	"airqa/extractor/review"
	"airqa/extractor/synthesis"
	"airqa/internal/terminal"
)

// synthError adds to an error which flag helps.
func synthError(err error) error {
	var different *synthesis.DifferentError
	switch {
	case errors.Is(err, synthesis.ErrExists):
		return fmt.Errorf("%w, and --resume never is given; choose another --out", err)
	case errors.As(err, &different):
		return fmt.Errorf("%w\n  Choose another --out, repeat the settings, or give --resume always", err)
	case errors.Is(err, review.ErrNoReviewer):
		return fmt.Errorf("%w\n  For entries without a name, give --reviewer NAME", err)
	}
	return err
}

// synthEnd returns the error of a synthesis that did not make everything: a spent budget, failed calls, or fewer rows than
// asked for. Each has its own exit code.
func synthEnd(f synthMakeFlags, data string, s extractor.Summary) error {
	missing := missingText(s)
	switch {
	case f.Preview > 0 && !s.Stopped:
		return nil
	case s.Suspended != "":
		return withCode(exitBudget, fmt.Errorf("%s\n  %s; raise the limit and the same command resumes", s.Suspended, missing))
	case s.Stopped && s.Failure != "":
		return withCode(exitFailedExamples,
			fmt.Errorf("stopped after failed calls; the first: %s\n  %s. Fix the cause; the same command resumes", s.Failure, missing))
	case len(s.Missing()) > 0 && s.Failed > 0:
		return withCode(exitFailedExamples, fmt.Errorf("%s failed; the first: %s\n  %s. Fix the cause; the same command retries them",
			terminal.Plural(s.Failed, "candidate"), s.Failure, missing))
	case s.Stopped:
		return fmt.Errorf("stopped; %s; the same command resumes", missing)
	case len(s.Missing()) == 0:
		return nil
	}
	text := "the candidates ran out: " + missing + "\n  Raise --max-candidates, choose other --categories, or read airqa synth why " + f.Out
	if s.Accepted > 0 {
		text += fmt.Sprintf("\n  Trajectories of the accepted %s: airqa synth act -d %s -m %s -o %s",
			terminal.Plural(s.Accepted, "question"), data, f.Model, f.Out)
	}
	return withCode(exitShort, errors.New(text))
}

// missingText names the categories with missing rows and why their candidates were lost.
func missingText(s extractor.Summary) string {
	wanted := 0
	for _, c := range s.Categories {
		wanted += c.Count
	}
	parts := []string{fmt.Sprintf("%d of %s accepted", s.Accepted, terminal.Plural(wanted, "question"))}
	for _, c := range s.Missing() {
		line := fmt.Sprintf("%s: %d of %d", c.Category, c.Accepted, c.Count)
		if why := extractor.ReasonsText(c.Reasons); why != "" {
			line += " (" + why + ")"
		}
		parts = append(parts, line)
	}
	return strings.Join(parts, "\n  ")
}
