package merge

import (
	"fmt"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
)

// Result describes a merged run, and what is missing from it.
type Result struct {
	Out      string `json:"run"`
	Baseline string `json:"baseline"`
	Model    string `json:"model"`
	// Shards are the numbers of the shards that were found, of Of.
	Shards []int `json:"shards"`
	Of     int   `json:"of"`
	// Questions and Episodes count those in the log.
	Questions int `json:"questions"`
	Episodes  int `json:"episodes"`
	// MissingShards, such as 3/16, were not given. Incomplete are shards that have not answered all their questions.
	MissingShards []string `json:"missing_shards,omitempty"`
	Incomplete    []Gap    `json:"incomplete,omitempty"`
	// Failed are the episodes that ended with a failure.
	Failed []string `json:"failed,omitempty"`
	// Scores are the scorings of the merged run as MODE.JUDGE.
	Scores []string `json:"scores,omitempty"`
	// Replaced is true if Out had been merged before, Written false if nothing was written because something is missing.
	Replaced bool `json:"replaced,omitempty"`
	Written  bool `json:"written"`
}

// Gap is a shard with episodes that have not begun or have not ended.
type Gap struct {
	Shard   string   `json:"shard"`
	Dir     string   `json:"run"`
	Missing []string `json:"missing"`
}

// Text describes a merged run in a few lines, wrapped to a width unless that is 0.
func (r Result) Text(width int) string {
	title := fmt.Sprintf("%s: %d of %s, %s, %s", terminal.Line(r.Out), len(r.Shards), terminal.Plural(r.Of, "shard"),
		terminal.Plural(r.Questions, "question"), terminal.Plural(r.Episodes, "episode"))
	lines := append([]string{title}, r.gaps()...)
	if len(r.Failed) > 0 {
		lines = append(lines, "  failed: "+names(r.Failed))
	}
	if len(r.Scores) > 0 {
		lines = append(lines, "  scores: "+terminal.Line(strings.Join(r.Scores, ", ")))
	}
	for i, line := range lines {
		lines[i] = terminal.Wrap(line, width, "    ")
	}
	return strings.Join(lines, "\n")
}

// gaps lists the missing shards and questions.
func (r Result) gaps() []string {
	var lines []string
	if len(r.MissingShards) > 0 {
		lines = append(lines, "  missing shards: "+few(r.MissingShards))
	}
	for _, g := range r.Incomplete {
		lines = append(lines, fmt.Sprintf("  shard %s (%s) has not finished %s: %s", g.Shard, terminal.Line(g.Dir),
			terminal.Plural(len(g.Missing), "episode"), names(g.Missing)))
	}
	return lines
}

// names lists episodes as airqa trace takes them.
func names(episodes []string) string {
	list := make([]string, len(episodes))
	for i, id := range episodes {
		list[i] = terminal.Line(qa.ShortEpisode(qa.SplitEpisodeID(id)))
	}
	return few(list)
}

// few joins the first items of a list.
func few(list []string) string {
	const most = 8
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
}
