package importer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"airqa/internal/files"
	"airqa/internal/lazyregexp"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train/format"
)

// trajectoryReader reads files of ATIF.
type trajectoryReader struct {
	*folder
	to *writer
	// continued are the files that continue another one: they are no episodes.
	continued map[string]bool
	read      map[string]bool
}

// readTrajectories imports the trajectories of a file or folder, and the files that they refer to.
func readTrajectories(ctx context.Context, name string, w *writer) (err error) {
	f, err := openFolder(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.root.Close()) }()
	r := &trajectoryReader{folder: f, to: w, continued: make(map[string]bool), read: make(map[string]bool)}
	if len(f.files) > 1 {
		if err := r.findContinued(); err != nil {
			return err
		}
	}
	for i := 0; i < len(r.files); i++ { // the list grows by subagents
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.read[r.files[i]] || r.continued[r.files[i]] {
			continue
		}
		r.read[r.files[i]] = true
		if err := r.file(r.files[i]); err != nil {
			return err
		}
	}
	return nil
}

// records returns the trajectories of a file: one, an array, or lines. It counts the numbers that JSON does not have.
func (r *trajectoryReader) records(name string, l Losses) ([]json.RawMessage, error) {
	raw, err := files.ReadRegular(r.root, name, r.to.MaxFile)
	if err != nil {
		return nil, err
	}
	raw = finite(files.Text(raw), l)
	var list []json.RawMessage
	for dec := json.NewDecoder(bytes.NewReader(raw)); ; {
		var one json.RawMessage
		err := dec.Decode(&one)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		several := []json.RawMessage{one}
		if one[0] == '[' {
			_ = json.Unmarshal(one, &several) // it is valid
		}
		list = append(list, several...)
	}
}

// findContinued finds the files that continue others.
func (r *trajectoryReader) findContinued() error {
	for _, name := range r.files {
		list, err := r.records(name, nil)
		if err != nil {
			return err
		}
		for _, raw := range list {
			var t struct {
				Continued string `json:"continued_trajectory_ref"`
			}
			_ = json.Unmarshal(raw, &t) // reported when the record is read
			if next, ok := r.beside(name, t.Continued); ok && t.Continued != "" && next != name {
				r.continued[next] = true
			}
		}
	}
	return nil
}

// file imports the trajectories of a file.
func (r *trajectoryReader) file(name string) error {
	losses := make(Losses)
	list, err := r.records(name, losses)
	if err != nil {
		return err
	}
	for i, raw := range list {
		t, err := readTrajectory(raw, losses)
		if err != nil {
			return fmt.Errorf("%s: record %d: %w", name, i+1, err)
		}
		if err := r.trajectory(name, t, losses); err != nil {
			return fmt.Errorf("%s: record %d: %w", name, i+1, err)
		}
		losses = make(Losses)
	}
	return nil
}

// readTrajectory reads a trajectory. Unknown keys and broken rules are losses; without an agent or steps it is none.
func readTrajectory(raw []byte, l Losses) (t format.Trajectory, err error) {
	if err := decode(raw, &t, "", l); err != nil {
		return t, err
	}
	if len(t.Steps) == 0 {
		return t, errors.New("not an ATIF trajectory: it has no steps")
	}
	if err := t.Check(); err != nil {
		l.Add("broken rule of the format: " + ruleNumbers.ReplaceAllString(err.Error(), "N"))
	}
	return t, nil
}

var ruleNumbers = lazyregexp.New(`[0-9]+`)

// trajectory imports a trajectory, those that continue it, and its subagents.
func (r *trajectoryReader) trajectory(name string, t format.Trajectory, l Losses) error {
	e := episodeOf(t)
	e.file, e.losses = path.Base(name), l
	b := &turnsOf{reader: r, file: name, e: e}
	b.steps(t, false)
	seen := map[string]bool{name: true}
	for next := t; next.Continued != ""; {
		var ok bool
		if next, name, ok = r.next(next, name, seen, l); !ok {
			break
		}
		b.file = name
		b.steps(next, true)
		t.Subagents = append(t.Subagents, next.Subagents...)
	}
	b.extras(t)
	e.question = question(e.turns)
	if err := r.to.add(e); err != nil {
		return err
	}
	for _, sub := range t.Subagents {
		own := make(Losses)
		own.Add("trajectory of a subagent, now an episode of its own")
		if len(sub.Steps) == 0 {
			continue
		}
		if err := r.trajectory(name, sub, own); err != nil {
			return err
		}
	}
	return nil
}

// next returns the trajectory that continues another one.
func (r *trajectoryReader) next(t format.Trajectory, name string, seen map[string]bool, l Losses) (format.Trajectory, string, bool) {
	at, ok := r.beside(name, t.Continued)
	if !ok || seen[at] {
		r.to.Notify.Warnf("%s: its continuation %q is outside the folder or refers back to an earlier part; it is left out",
			name, t.Continued)
		l.Add("continuation outside of the folder")
		return t, name, false
	}
	seen[at] = true
	list, err := r.records(at, l)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%d trajectories; want one", len(list))
	}
	var next format.Trajectory
	if err == nil {
		next, err = readTrajectory(list[0], l)
	}
	if err != nil {
		r.to.Notify.Warnf("%s: its continuation cannot be read and is left out: %v", name, err)
		l.Add("continuation that cannot be read")
		return t, name, false
	}
	r.to.Notify.Notef("%s: continued by %s", name, at)
	r.read[at] = true
	return next, at, true
}

var plainID = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,119}$`)

// idOf returns an id of a stranger, or its hash if it is not plain.
func idOf(id string) string {
	if plainID.MatchString(id) && !strings.Contains(id, "..") {
		return id
	}
	return "id-" + runlog.Hash(id)[:24]
}

// episodeOf returns what a trajectory says about its episode.
func episodeOf(t format.Trajectory) *episode {
	provider, model := splitModel(t.Agent.Model)
	e := &episode{origin: origin{Agent: t.Agent.Name, Program: t.Agent.Version, Provider: provider, Model: model, Format: t.SchemaVersion}}
	id := cmp.Or(t.TrajectoryID, t.SessionID)
	if id == "" {
		line, _ := t.Line() // it was read from one
		id = runlog.Hash(string(line))
	}
	e.uuid = idOf(id)
	ours, ok := t.Airqa()
	if !ok {
		return e
	}
	e.Run, e.uuid, e.repeat, e.outcome, e.price = ours.Run, ours.Question, max(ours.Repeat, 0), ours.Outcome, ours.Price
	if ours.Score != nil {
		e.scores = append(e.scores, scored{"airqa", qa.Score{Verdict: ours.Verdict, Value: *ours.Score, Func: "imported"}})
	}
	if ours.Charged != nil {
		e.failed = []qa.Attempt{{Error: qa.FailUnknown, Charged: ours.Charged}}
	}
	return e
}

// splitModel splits the name of a model as airqa writes it, PROVIDER:NAME, or as others do, PROVIDER/NAME.
func splitModel(name string) (provider, model string) {
	for _, sep := range []string{":", "/"} {
		if before, after, ok := strings.Cut(name, sep); ok && before != "" && after != "" && !strings.ContainsAny(before, "/ ") {
			return before, after
		}
	}
	return "", name
}

var questionLine = lazyregexp.New(`(?s)\[Question\]: (.*?)(?:\n\[[A-Z][A-Za-z ]*\]: |\n\n|$)`)

// question returns the text of the question: airqa's own after its label, otherwise the first message of the user.
func question(turns []turn) string {
	at := slices.IndexFunc(turns, func(t turn) bool { return t.role == qa.User })
	if at < 0 {
		return ""
	}
	if m := questionLine.FindStringSubmatch(turns[at].text); m != nil {
		return m[1]
	}
	return turns[at].text
}
