package shard

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"airqa/internal/lazyregexp"
	"airqa/internal/terminal"
)

// Slurm is an array job: one task for each shard. Empty fields are the cluster's own defaults, but for Airqa: that in PATH.
type Slurm struct {
	Job    `kong:"-"`
	Server `embed:""`

	Time   string   `default:"24:00:00" help:"Time limit of one task. A task that reaches it is queued again and resumes."`
	Sbatch []string `sep:"none" placeholder:"OPTION" help:"Further option of sbatch, also for the merge job, such as --sbatch=--partition=gpu. Repeatable."`
	Keys   string   `placeholder:"FILE" help:"File with the API keys on the cluster, one NAME=VALUE per line, which is taken as it is: no shell reads it. Default: the environment of sbatch."`
	Airqa  string   `name:"program" placeholder:"PATH" help:"Path of airqa on the nodes. Default: the path of this program."`
	Setup  []string `sep:"none" placeholder:"LINE" help:"Line of bash to run first, such as 'module load cuda'. Repeatable."`
}

// notice is how long before the limit of time a task receives the notice to end.
const notice = 5 * time.Minute

var (
	timePattern   = lazyregexp.New(`^(?:([0-9]+)-)?([0-9]+)(?::([0-9]+))?(?::([0-9]+))?$`)
	optionPattern = lazyregexp.New(`^[A-Za-z0-9_.,:=/&|()\[\]*!@+-]*$`)
)

// Script is the job script, for sbatch.
func (s Slurm) Script() (string, error) {
	if err := errors.Join(s.Job.check(), s.Server.check(), s.checkTimes(), s.checkTexts()); err != nil {
		return "", err
	}
	s.Args = s.call(s.Job)
	return render("slurm.sh", terminal.ShellWord, s)
}

func (s Slurm) checkTimes() error {
	limit, limited := s.limit()
	switch {
	case !timePattern.MatchString(s.Time):
		return fmt.Errorf("time %q: want a limit such as 12:00:00 or 2-00:00:00", s.Time)
	case limited && limit <= notice:
		return fmt.Errorf("time %s: a task stops %s before its limit; give it more time", s.Time, notice)
	case s.Serve != "" && limited && s.Startup >= limit-notice:
		return fmt.Errorf("the model server may take %s to be ready: want less than the time limit without its last %s", s.Startup, notice)
	}
	return nil
}

func (s Slurm) checkTexts() error {
	if strings.HasSuffix(s.Memory, "i") {
		return fmt.Errorf("memory %s: Slurm takes K, M, G and T, such as 4G", s.Memory)
	}
	for _, text := range append(slices.Clone(s.Setup), s.Keys, s.Airqa) {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return fmt.Errorf("%q contains a control character", text)
		}
	}
	for _, option := range s.Sbatch {
		if !strings.HasPrefix(option, "-") {
			return fmt.Errorf("%q: want an option of sbatch such as --partition=gpu", option)
		}
	}
	for _, option := range append(slices.Clone(s.Sbatch), s.GPUs) {
		if !optionPattern.MatchString(option) {
			return fmt.Errorf("%q: want an option of sbatch without spaces and quotes", option)
		}
	}
	return nil
}

// limit is the limit of time; not limited if it is 0, as for Slurm.
func (s Slurm) limit() (limit time.Duration, limited bool) {
	parts := timePattern.FindStringSubmatch(s.Time)
	if parts == nil {
		return 0, false
	}
	var n [4]time.Duration
	for i, text := range parts[1:] {
		value, _ := strconv.Atoi(text) // "" is 0
		n[i] = time.Duration(value)
	}
	switch {
	case parts[1] != "" || parts[4] != "": // days-hours:minutes:seconds, or hours:minutes:seconds
		limit = n[0]*24*time.Hour + n[1]*time.Hour + n[2]*time.Minute + n[3]*time.Second
	default: // minutes:seconds
		limit = n[1]*time.Minute + n[2]*time.Second
	}
	return limit, limit > 0
}

// Notice is how long before the limit of time the warning comes, in seconds.
func (Slurm) Notice() int { return int(notice.Seconds()) }

// Word quotes a word for sh, with the port of the model server if there is one.
func (s Slurm) Word(word string) string {
	if s.Serve == "" || !strings.Contains(word, port) {
		return terminal.ShellWord(word)
	}
	parts := strings.Split(word, port)
	for i, part := range parts {
		if part != "" {
			parts[i] = terminal.ShellWord(part)
		}
	}
	return strings.Join(parts, `"$port"`)
}

// Program is the program as a word of sh.
func (s Slurm) Program() string { return terminal.ShellWord(cmp.Or(s.Airqa, "airqa")) }

// Merge is the command that combines the shards. The folder may have shards of an earlier division.
func (s Slurm) Merge() string {
	return fmt.Sprintf("%s %s %s/*-of-%d %s %s", s.Program(), s.Command.Combine(), terminal.ShellWord(s.Root()), s.Shards, s.Command.Target(), terminal.ShellWord(s.Out))
}
