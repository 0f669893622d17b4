package extractor

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"

	"airqa/eval"
	"airqa/extractor/candidate"
	"airqa/extractor/explore"
	"airqa/extractor/gate"
	"airqa/internal/files"
	"airqa/prompts"
)

// recipe is what a stage's result depends on besides its input. A change of any field makes another fingerprint, so the
// stage is computed again; its replies are requested again only if the request changes.
type recipe struct {
	Stage    string            `json:"stage"`
	Versions []int             `json:"versions"`
	Prompts  map[string]string `json:"prompts,omitempty"`
	// Model is set for stages that call it.
	Model    map[string]any `json:"model,omitempty"`
	Attempts int            `json:"attempts,omitempty"`
	Solve    int            `json:"solve,omitempty"`
	Images   bool           `json:"images,omitempty"`
}

// recipes returns the recipe of each stage; exploration has one per category.
func recipes(c Config) ([]recipe, error) {
	var list []recipe
	add := func(r recipe, names []string) error {
		r.Prompts = make(map[string]string)
		for _, name := range names {
			hash, err := prompts.Hash(name)
			if err != nil {
				return err
			}
			r.Prompts[name] = hash
		}
		list = append(list, r)
		return nil
	}
	for _, category := range candidate.Categories() {
		if category.Type() == candidate.Multiple {
			continue
		}
		err := add(recipe{
			Stage: exploreRecipe(category), Versions: []int{explore.Version, explore.FieldsVersion}, Model: c.Endpoint, Attempts: c.Attempts,
			Images: c.Images && category.Element() == candidate.Image,
		}, explore.Prompts(category))
		if err != nil {
			return nil, err
		}
	}
	tracker := recipe{
		Stage: candidate.Track, Versions: []int{explore.TrackVersion, explore.FieldsVersion}, Model: c.Endpoint, Attempts: c.Attempts,
	}
	if err := add(tracker, explore.TrackPrompts()); err != nil {
		return nil, err
	}
	catalogue := sha256.Sum256([]byte(eval.Catalogue()))
	list[len(list)-1].Prompts["catalogue"] = hex.EncodeToString(catalogue[:]) // part of the tracker's prompt
	for _, g := range gate.All() {
		r := recipe{Stage: candidate.GateStage(g.Name), Versions: []int{g.Version}}
		if len(g.Prompts) > 0 {
			r.Model = c.Endpoint
		}
		if g.Name == gate.SolvedAgain {
			r.Versions = append(r.Versions, explore.Version) // it shows the same context as the explorer
			r.Solve, r.Images = c.Solve, c.Images
		}
		if err := add(r, g.Prompts); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// exploreRecipe is the name of a category's exploration among the fingerprints.
func exploreRecipe(c candidate.Category) string { return candidate.Explore + ":" + string(c) }

// Fingerprints returns the fingerprint of each stage.
func Fingerprints(c Config) (map[string]string, error) {
	list, err := recipes(c)
	if err != nil {
		return nil, err
	}
	prints := make(map[string]string)
	for _, r := range list {
		if prints[r.Stage], err = hashOf(r); err != nil {
			return nil, err
		}
	}
	return prints, nil
}

// PromptHashes returns the SHA-256 of all prompts of a synthesis.
func PromptHashes() (map[string]string, error) {
	list, err := recipes(Config{})
	hashes := make(map[string]string)
	for _, r := range list {
		maps.Copy(hashes, r.Prompts)
	}
	return hashes, err
}

// hashOf returns a short hash of a value's JSON.
func hashOf(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("fingerprint: %w", err)
	}
	return files.Hash(raw)[:16], nil
}
