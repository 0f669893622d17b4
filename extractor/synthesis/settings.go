package synthesis

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/qa"
)

// Reasons why a directory's synthesis must not be resumed.
var (
	ErrExists    = errors.New("already has a synthesis")
	ErrDifferent = errors.New("belongs to another synthesis") // it has another seed or other papers
)

// recordSettings writes synth.json, or compares an existing one with this invocation.
func (inv *invocation) recordSettings() error {
	stages, hashes, err := extractor.Fingerprints(inv.pipeline)
	if err != nil {
		return err
	}
	now := inv.settings(stages, hashes)
	old, err := candidate.ReadSettings(inv.Dir)
	if errors.Is(err, candidate.ErrNoSynthesis) {
		return candidate.WriteSettings(inv.Dir, now, inv.Session.Redact)
	}
	if err != nil {
		return err
	}
	other, redone := differences(old, now)
	switch {
	case inv.Resume == "never":
		return qa.Usagef("%s %w", inv.Dir, ErrExists)
	case len(other) > 0 && inv.Resume != "always":
		return qa.Usagef("%s %w:\n  %s", inv.Dir, ErrDifferent, strings.Join(other, "\n  "))
	case inv.Preview > 0 && !old.Preview:
		return qa.Usagef("%s is more than a preview already; airqa synth why %s shows it", inv.Dir, inv.Dir)
	}
	if changed := append(other, redone...); len(changed) > 0 {
		inv.Session.Notify.Notef("%s is resumed with changes; only what they affect is done again:\n  %s", inv.Dir, strings.Join(changed, "\n  "))
	}
	now.Created = old.Created
	if same, err := sameJSON(old, now); same || err != nil {
		return err
	}
	return candidate.WriteSettings(inv.Dir, now, inv.Session.Redact)
}

// settings describe this invocation, with fingerprints of stages and hashes of prompts.
func (inv *invocation) settings(stages, hashes map[string]string) candidate.Settings {
	now := candidate.Settings{
		Format: candidate.Format, Program: inv.Session.Program, Created: inv.Session.Now().UTC(), Seed: inv.DrawSeed,
		Data: inv.World.Fingerprint(), DataDir: inv.Data, Quotas: inv.pipeline.Quotas, Preview: inv.Preview > 0,
		Gates: gate.Names(inv.pipeline.Gates), Model: inv.pipeline.Model.Described, BaseURL: inv.address, Stages: stages, Prompts: hashes,
		OwnPrompts: inv.Prompts.Own(slices.Collect(maps.Keys(hashes))...), AsInPaper: inv.Session.AsInPaper,
	}
	if inv.TrackerModel != "" {
		now.Tracker, now.TrackerURL = inv.pipeline.Tracker.Described, inv.trackerAddress
	}
	return now
}

// differences lists what differs between two invocations: what makes other candidates, and what makes stages run again.
func differences(old, now candidate.Settings) (other, stages []string) {
	compare := func(into *[]string, name string, a, b any) {
		if a != b {
			*into = append(*into, fmt.Sprintf("%s: %v, now %v", name, a, b))
		}
	}
	compare(&other, "seed", old.Seed, now.Seed)
	compare(&other, "papers", old.Data, now.Data)
	changedModel := func(name string, old, now map[string]any) {
		if same, err := sameJSON(old, now); err == nil && !same {
			stages = append(stages, name+" or its settings")
		}
	}
	changedModel("the model", old.Model, now.Model)
	changedModel("the model of the tracker", old.Tracker, now.Tracker)
	compare(&stages, "gates", strings.Join(old.Gates, ", "), strings.Join(now.Gates, ", "))
	changed := func(kind string, old, now map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(now)) {
			if old[name] != now[name] {
				stages = append(stages, kind+" "+name)
			}
		}
	}
	changed("stage", old.Stages, now.Stages)
	changed("prompt", old.Prompts, now.Prompts)
	return other, stages
}

// sameJSON reports whether two values have the same JSON.
func sameJSON(a, b any) (bool, error) {
	first, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	second, err := json.Marshal(b)
	return string(first) == string(second), err
}
