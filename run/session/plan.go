package session

import (
	"airqa/baselines"
	"airqa/env"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/run/shard"
	"airqa/runlog"
)

// Plan is an invocation that is ready to run.
type Plan struct {
	Jobs []Job
	// Out is the run directory, or the folder of several.
	Out   string
	World *env.Env
	// Examples are all questions of the file, Picked the selected ones.
	Examples, Picked []qa.Example
	// Missing lists what the picked questions lacked before any of them was skipped.
	Missing  dataset.Missing
	Settings qa.Settings
	// Share is the shard that the picked questions are; nil if the run is not divided.
	Share *shard.Share
	// Workers is the number of concurrent episodes, Repeats the number per question.
	Workers, Repeats int
	// Retry is "errors", "none" or "all": which finished episodes to run again.
	Retry string
	// Limits are those of the whole run, earlier invocations included.
	Limits budget.Limits
	Note   runlog.Note
	// Cache has earlier replies; may be nil. CacheFrom is a run whose replies are added to it; may be nil.
	Cache     *cache.Store
	CacheFrom *runlog.Run
	// Watch receives each new step, see [run.Config]. May be nil.
	Watch func(uuid string, s qa.Step)
	// From is an undivided run with the same settings, or the folder of several, whose episodes are taken over. May be empty.
	From string
	// Fork is the episode that a fork continues, see [Branch.Plan]. May be nil.
	Fork *Branch
}

// Job is one baseline with one model, in a run directory of its own.
type Job struct {
	Baseline baselines.Baseline
	models.Model
	Dir string
	// Name is the label of its progress bar.
	Name string
}

// kind is the kind of all questions.
func (p Plan) kind() qa.Kind {
	if len(p.Examples) == 0 {
		return ""
	}
	return p.Examples[0].Kind
}
