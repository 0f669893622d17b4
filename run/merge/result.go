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
	// MissingShards were not given; Incomplete are shards that have not answered all their questions.
	MissingShards []MissingShard `json:"missing_shards,omitempty"`
	Incomplete    []Gap          `json:"incomplete,omitempty"`
	// Failed are the episodes that ended with a failure.
	Failed []string `json:"failed,omitempty"`
	// Scores are the scorings of the merged run as MODE.JUDGE.
	Scores []string `json:"scores,omitempty"`
	// Replaced is true if Out had been merged before, Written false if nothing was written because something is missing.
	Replaced bool `json:"replaced,omitempty"`
	Written  bool `json:"written"`
}

// MissingShard is a shard that was not given, with a folder for it.
type MissingShard struct {
	Shard string `json:"shard"`
	Dir   string `json:"suggested_dir"`
}

// Gap is a shard with questions that have not been answered.
type Gap struct {
	Shard string `json:"shard"`
	Dir   string `json:"run"`
	// Writing is true while a process writes to the shard.
	Writing  bool `json:"writing,omitempty"`
	Episodes int  `json:"episodes"`
	// Missing episodes have not begun, Unfinished ones have not ended.
	Missing    []string `json:"missing,omitempty"`
	Unfinished []string `json:"unfinished,omitempty"`
}

// lacks reports whether questions are missing.
func (r Result) lacks() bool { return len(r.MissingShards)+len(r.Incomplete) > 0 }

// Text describes a merged run in a few lines, wrapped to a width unless that is 0.
func (r Result) Text(width int) string {
	title := fmt.Sprintf("%s: %d of %s, %s, %s", terminal.Line(r.Out), len(r.Shards), terminal.Plural(r.Of, "shard"),
		terminal.Plural(r.Questions, "question"), terminal.Plural(r.Episodes, "episode"))
	lines := append([]string{title}, r.gaps()...)
	if n := len(r.Failed); n > 0 {
		lines = append(lines, fmt.Sprintf("  failed: %s", names(r.Failed)))
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
	var lines, missing []string
	for _, s := range r.MissingShards {
		missing = append(missing, s.Shard)
	}
	if len(missing) > 0 {
		lines = append(lines, fmt.Sprintf("  missing shards: %s; run them with --shard %s --out %s, and so on", few(missing, ", "),
			missing[0], terminal.Line(r.MissingShards[0].Dir)))
		if len(missing) == 1 {
			lines[0] = fmt.Sprintf("  missing shard: %s; run it with --shard %[1]s --out %s", missing[0], terminal.Line(r.MissingShards[0].Dir))
		}
	}
	for _, g := range r.Incomplete {
		state := "run it again"
		if g.Writing {
			state = "it is running"
		}
		text := fmt.Sprintf("  shard %s (%s), %d of %d episodes", g.Shard, terminal.Line(g.Dir), len(g.Missing)+len(g.Unfinished), g.Episodes)
		if len(g.Missing) > 0 {
			text += ", not started: " + names(g.Missing)
		}
		if len(g.Unfinished) > 0 {
			text += ", unfinished: " + names(g.Unfinished)
		}
		lines = append(lines, text+"; "+state)
	}
	return lines
}

// lacking lists what is missing of each run.
func lacking(results []Result) []string {
	var lines []string
	for _, r := range results {
		if r.lacks() {
			lines = append(lines, fmt.Sprintf("%s is incomplete (%s, %s):", r.Out, r.Baseline, r.Model))
			lines = append(lines, r.gaps()...)
		}
	}
	return lines
}

// names shortens a list of episodes.
func names(episodes []string) string {
	list := make([]string, len(episodes))
	for i, id := range episodes {
		list[i] = short(id)
	}
	return few(list, ", ")
}

// short is an episode as airqa trace takes it: the start of the uuid, and the repeat unless it is the first.
func short(id string) string { return terminal.Line(qa.ShortEpisode(qa.SplitEpisodeID(id))) }
