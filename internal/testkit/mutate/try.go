package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// outcome is the test result of a change.
type outcome int

// The outcomes.
const (
	survived outcome = iota
	noticed
	invalid // does not compile
)

// try runs the tests of the package in dir with one change, or with none.
func (c config) try(ctx context.Context, dir string, s *site) (outcome, error) {
	args := []string{"test", "-count=1", "-failfast", "-vet=off", "-timeout", c.timeout.String()}
	if s != nil {
		overlay, remove, err := s.overlay()
		if err != nil {
			return invalid, err
		}
		defer remove()
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+filepath.ToSlash(filepath.Clean(dir)))...)
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	switch {
	case err == nil:
		return survived, nil
	case ctx.Err() != nil:
		return invalid, ctx.Err()
	case !errors.As(err, &failed):
		return invalid, err
	case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
		return invalid, nil
	}
	return noticed, nil
}

// overlay writes the changed file and its overlay description for go test.
func (s site) overlay() (path string, remove func(), err error) {
	source, err := os.ReadFile(s.file)
	if err != nil {
		return "", nil, err
	}
	temp, err := os.MkdirTemp("", "airqa-mutate-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(temp) }
	original, err := filepath.Abs(s.file)
	if err != nil {
		return "", remove, err
	}
	changed := filepath.Join(temp, "changed.go")
	text := append(append(bytes.Clone(source[:s.from]), s.text...), source[s.to:]...)
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	if err != nil {
		return "", remove, err
	}
	path = filepath.Join(temp, "overlay.json")
	return path, remove, errors.Join(os.WriteFile(changed, text, 0o600), os.WriteFile(path, list, 0o600))
}
