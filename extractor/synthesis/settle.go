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
	"airqa/internal/exit"
)

// settle writes synth.json, or compares an existing one with this invocation.
func (m *making) settle(data string) error {
	now, err := m.described(data)
	if err != nil {
		return err
	}
	old, err := candidate.ReadSettings(m.Out)
	if errors.Is(err, candidate.ErrNoSynthesis) {
		return candidate.WriteSettings(m.Out, now, m.Redact)
	}
	if err != nil {
		return err
	}
	other, stages := differences(old, now)
	switch {
	case m.Resume == "never":
		return exit.Misuse("%s already has a synthesis, and --resume never is given; choose another --out", m.Out)
	case len(other) > 0 && m.Resume != "always":
		return exit.Misuse("%s belongs to another synthesis:\n  %s\n  Choose another --out, repeat the settings, or give --resume always", m.Out, strings.Join(other, "\n  "))
	case m.Preview > 0 && !old.Preview:
		return exit.Misuse("%s is more than a preview already; airqa synth why %s shows it", m.Out, m.Out)
	}
	if changed := append(other, stages...); len(changed) > 0 {
		m.Notify.Notef("%s is resumed with changes; only what they affect is done again:\n  %s", m.Out, strings.Join(changed, "\n  "))
	}
	now.Created = old.Created
	if same, err := sameJSON(old, now); same || err != nil {
		return err
	}
	return candidate.WriteSettings(m.Out, now, m.Redact)
}

// described is synth.json for this invocation.
func (m *making) described(data string) (candidate.Settings, error) {
	prints, err := extractor.Fingerprints(m.config())
	if err != nil {
		return candidate.Settings{}, err
	}
	hashes, err := extractor.PromptHashes()
	c := candidate.Settings{
		Format: candidate.Format, Program: m.Program, Created: m.Now().UTC(), Seed: m.DrawSeed, Data: m.library.Fingerprint(), DataDir: data,
		Quotas: m.quotas, Preview: m.Preview > 0, Gates: []string{}, Model: m.model.Described, BaseURL: m.address, Stages: prints, Prompts: hashes,
	}
	for _, g := range m.gates {
		c.Gates = append(c.Gates, g.Name)
	}
	return c, err
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
	if same, err := sameJSON(old.Model, now.Model); err == nil && !same {
		stages = append(stages, "the model or its settings")
	}
	compare(&stages, "gates", strings.Join(old.Gates, ", "), strings.Join(now.Gates, ", "))
	for _, stage := range slices.Sorted(maps.Keys(now.Stages)) {
		if was := old.Stages[stage]; was != now.Stages[stage] {
			stages = append(stages, "stage "+stage)
		}
	}
	for _, prompt := range slices.Sorted(maps.Keys(now.Prompts)) {
		if old.Prompts[prompt] != now.Prompts[prompt] {
			stages = append(stages, "prompt "+prompt)
		}
	}
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
