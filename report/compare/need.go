package compare

import (
	"fmt"
	"strconv"
	"strings"

	"airqa/internal/stats"
)

// Need is the number of questions needed to show a difference.
type Need struct {
	// Difference is in percentage points; Power and Alpha are fractions.
	Difference float64 `json:"difference"`
	Power      float64 `json:"power"`
	Alpha      float64 `json:"alpha"`
	// Discordant is the fraction of the questions on which the systems disagree. If it is 0, the number is based on
	// Spread, the standard deviation of the differences by question, in points.
	Discordant float64 `json:"discordant,omitempty"`
	Spread     float64 `json:"spread,omitempty"`
	// Questions is nil if no number is enough.
	Questions *int `json:"questions"`
}

// Questions returns the number of questions needed to find a difference in percentage points between systems that
// disagree on the given fraction of the questions ([stats.PairedQuestions]).
func Questions(points, discordant, power float64) Need {
	need := Need{Difference: points, Discordant: discordant, Power: power, Alpha: 1 - level}
	if n, ok := stats.PairedQuestions(points/100, discordant, stats.Power{Alpha: 1 - level, Power: power}); ok {
		need.Questions = &n
	}
	return need
}

// QuestionsLike is [Questions] with the discordance of two runs or, with repeats, the spread of their differences
// ([stats.PairedMeanQuestions]).
func QuestionsLike(r Result, points, power float64) Need {
	if !r.Repeats {
		return Questions(points, r.All.Discordant, power)
	}
	need := Need{Difference: points, Spread: r.All.Spread, Power: power, Alpha: 1 - level}
	if n, ok := stats.PairedMeanQuestions(points, r.All.Spread, stats.Power{Alpha: 1 - level, Power: power}); ok {
		need.Questions = &n
	}
	return need
}

// ParseGap reads a number of percentage points, such as "3pp".
func ParseGap(text string) (float64, error) {
	digits, found := strings.CutSuffix(strings.TrimSpace(text), "pp")
	gap, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if !found || err != nil || !(gap > 0 && gap <= 100) {
		return 0, fmt.Errorf("want percentage points above 0 and up to 100, such as 3pp; not %q", text)
	}
	return gap, nil
}
