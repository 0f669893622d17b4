package tasks

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"airqa/eval"
	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/tools"
)

// nameable are ids that can be the name of a task.
var nameable = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_-]*$`)

type harborTask struct {
	task
	Config
	Name string
	// Field is the argument of Answer that has the answer.
	Field string
}

type taskRef struct{ Name, Digest string }

// taskFolder is the folder of a task. It notes the hashes of its files.
type taskFolder struct {
	folder
	dir  string
	sums map[string]string
}

func (t taskFolder) WriteFile(name string, data []byte) error {
	t.sums[name] = files.Hash(data)
	return t.folder.WriteFile(path.Join(t.dir, name), data)
}

// digest is the digest of the task as Harbor computes it.
func (t taskFolder) digest() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(t.sums)) {
		fmt.Fprintf(&b, "%s\x00%s\n", name, t.sums[name])
	}
	return "sha256:" + files.Hash(b.String())
}

// writeHarbor writes the tasks of a split and their list, as a data set of Harbor 0.25.
func (c Config) writeHarbor(f folder, p split) error {
	const org = "airqa" // the organization of tasks and data sets
	var refs []taskRef
	for _, t := range p.tasks {
		h := harborTask{task: t, Config: c, Name: t.UUID, Field: tools.Answer{Kind: t.Kind}.Field()}
		if !nameable.MatchString(t.UUID) {
			h.Name = "q-" + files.Hash(t.UUID)[:16]
		}
		into := taskFolder{f, path.Join(p.name, h.Name), make(map[string]string)}
		if err := h.write(into); err != nil {
			return fmt.Errorf("write the task of question %s: %w", t.UUID, err)
		}
		refs = append(refs, taskRef{org + "/" + h.Name, into.digest()})
	}
	return render(taskFolder{f, p.name, make(map[string]string)}, "dataset", struct {
		Name  string
		Tasks []taskRef
	}{org + "/questions-" + p.name, refs})
}

// write writes the question for the agent, and the question file with the gold for the sidecar.
func (h harborTask) write(into taskFolder) error {
	line, err := dataset.Lines([]qa.Example{h.Example})
	if err != nil {
		return err
	}
	if err := into.WriteFile("environment/airqa/questions.jsonl", line); err != nil {
		return err
	}
	if err := render(into, "task", h); err != nil {
		return err
	}
	gold, ok := eval.GoldAnswer(h.Evaluator)
	if !h.WithGold || !ok {
		return nil
	}
	answer, err := ledger.Encode(map[string]string{h.Field: gold})
	if err != nil {
		return err
	}
	if err := into.WriteFile("solution/answer.json", answer); err != nil {
		return err
	}
	return render(into, "solution", h)
}
