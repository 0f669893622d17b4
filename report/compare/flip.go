package compare

import (
	"fmt"

	"airqa/internal/terminal"
	"airqa/qa"
)

// Flip is a question on which the runs differ.
type Flip struct {
	UUID     string `json:"uuid"`
	Question string `json:"question"`
	// A and B are the scores, 0..1; with repeats, the means.
	A float64 `json:"a"`
	B float64 `json:"b"`
	// EpisodeA and EpisodeB name the episodes to inspect: the question, or the repeat in which the run did best or
	// worst.
	EpisodeA string `json:"episode_a"`
	EpisodeB string `json:"episode_b"`
}

// flips are the questions with different scores; repeats adds the repeat number to the episodes.
func flips(pairs []paired, repeats bool) []Flip {
	episode := func(s qa.Score) string {
		if repeats {
			return qa.EpisodeID(s.UUID, s.Repeat)
		}
		return s.UUID
	}
	better := [2][]Flip{}
	for _, p := range pairs {
		f := Flip{UUID: p.example.UUID, Question: p.example.Question, A: p.a.mean, B: p.b.mean}
		switch d := p.difference(); {
		case d < 0:
			f.EpisodeA, f.EpisodeB = episode(p.a.best), episode(p.b.worst)
			better[0] = append(better[0], f)
		case d > 0:
			f.EpisodeA, f.EpisodeB = episode(p.a.worst), episode(p.b.best)
			better[1] = append(better[1], f)
		}
	}
	return append(append([]Flip{}, better[0]...), better[1]...)
}

// BetterA reports whether A answered the question better.
func (f Flip) BetterA() bool { return f.A > f.B }

// Traces are the commands that show both episodes, A's first. Score files without a run have none.
func (f Flip) Traces(r Result) []string {
	var lines []string
	for _, side := range []struct{ run, episode string }{{r.A.Run, f.EpisodeA}, {r.B.Run, f.EpisodeB}} {
		if side.run != "" {
			lines = append(lines, fmt.Sprintf("airqa trace %s %s", terminal.ShellWord(side.run), terminal.ShellWord(side.episode)))
		}
	}
	return lines
}
