package shard

import (
	"fmt"
	"strings"

	"airqa/internal/lazyregexp"
)

// Slurm is an array job: one task for each shard.
type Slurm struct {
	Job
	// Partition may be empty for the default. Time is the limit of one task, as Slurm takes it.
	Partition, Time string
	// Keys is a file with the keys, as lines of NAME=VALUE or export NAME=VALUE; empty if the environment has them.
	Keys string
}

var (
	timePattern      = lazyregexp.New(`^[0-9]+(-[0-9]+)?(:[0-9]+){0,2}$`)
	partitionPattern = lazyregexp.New(`^[A-Za-z0-9_.,-]*$`)
)

// Script is the job script, for sbatch.
func (s Slurm) Script() (string, error) {
	if err := s.check(); err != nil {
		return "", err
	}
	switch {
	case !timePattern.MatchString(s.Time):
		return "", fmt.Errorf("time %q: want a limit such as 12:00:00 or 2-00:00:00", s.Time)
	case !partitionPattern.MatchString(s.Partition):
		return "", fmt.Errorf("partition %q: want letters, digits, and _.,-", s.Partition)
	case strings.ContainsAny(s.Keys, "\n\r\x00"):
		return "", fmt.Errorf("%q is not a file name", s.Keys)
	case strings.HasSuffix(s.Memory, "i"):
		return "", fmt.Errorf("memory %s: Slurm takes K, M, G and T, such as 4G", s.Memory)
	}
	if s.Keys != "" && !strings.Contains(s.Keys, "/") {
		s.Keys = "./" + s.Keys // sh looks for other names in PATH
	}
	return render("slurm.sh", ShellQuote, s)
}

// Merge is the command that merges the shards. The folder may have shards of an earlier division.
func (s Slurm) Merge() string {
	if s.Command.AddsPapers() {
		return fmt.Sprintf("airqa papers join %s/*-of-%d --data %s", ShellQuote(s.Root()), s.Shards, ShellQuote(s.Out))
	}
	return "airqa shards merge " + ShellQuote(s.Root()) + " --out " + ShellQuote(s.Out)
}

var plainWord = lazyregexp.New(`^[A-Za-z0-9_./:@%+,=-]+$`)

// ShellQuote quotes a word for sh.
func ShellQuote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
