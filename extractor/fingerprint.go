package extractor

import (
	"encoding/json"
	"fmt"
	"maps"

	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/internal/files"
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

	names []string // of the prompts
}

// recipes returns the recipe of each stage; exploration has one per category.
func recipes(c Config) ([]recipe, error) {
	var list []recipe
	catalogue, err := candidate.Catalogue(c.Prompts)
	if err != nil {
		return nil, err
	}
	for _, category := range candidate.Categories() {
		if category.Type() == candidate.Multiple {
			continue
		}
		list = append(list, recipe{
			Stage: exploreRecipe(category), Versions: []int{candidate.ExploreVersion, candidate.FormVersion}, Model: c.Model.Described, Attempts: c.Attempts,
			Images: c.Images && category.Element() == candidate.Image, names: category.Prompts(),
		})
	}
	list = append(list, recipe{
		Stage: candidate.Track, Versions: []int{candidate.TrackVersion, candidate.FormVersion}, Model: c.Tracker.Described, Attempts: c.Attempts,
		// The tracker's prompt also contains the catalogue of functions.
		Prompts: map[string]string{"catalogue": files.Hash(catalogue)}, names: []string{"synth_track", "synth_function", "synth_again"},
	})
	for _, g := range gate.All() {
		r := recipe{Stage: candidate.GateStage(g.Name), Versions: []int{g.Version}, names: g.Prompts}
		if len(g.Prompts) > 0 {
			r.Model = c.Model.Described
		}
		if g.Name == gate.SolvedAgain {
			r.Versions = append(r.Versions, candidate.ExploreVersion) // it shows the same context as the explorer
			r.Solve, r.Images = c.Solve, c.Images
		}
		list = append(list, r)
	}
	for i := range list {
		r := &list[i]
		if r.Prompts == nil {
			r.Prompts = make(map[string]string)
		}
		for _, name := range c.Prompts.Used(r.names...) {
			if r.Prompts[name], err = c.Prompts.Hash(name); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// exploreRecipe is the name of a category's exploration among the fingerprints.
func exploreRecipe(c candidate.Category) string { return candidate.Explore + ":" + string(c) }

// Fingerprints returns the fingerprint of each stage, and the SHA-256 of all their prompts.
func Fingerprints(c Config) (stages, hashes map[string]string, err error) {
	list, err := recipes(c)
	stages, hashes = make(map[string]string), make(map[string]string)
	for _, r := range list {
		maps.Copy(hashes, r.Prompts)
		if stages[r.Stage], err = Hash(r); err != nil {
			return nil, nil, err
		}
	}
	return stages, hashes, err
}

// Hash returns a short hash of a value's JSON.
func Hash(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("fingerprint: %w", err)
	}
	return files.Hash(raw)[:16], nil
}
