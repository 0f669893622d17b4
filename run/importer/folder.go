package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"airqa/internal/files"
	"airqa/internal/ledger"
)

// Limits of what is read, in bytes: a file from a stranger may be a bomb.
const (
	maxFile = 1 << 30 // see [Config]
	// maxSample is for one unpacked sample: it is in memory several times while it is read.
	maxSample = 256 << 20
	maxImage  = 64 << 20
)

// reader reads the logs of a folder. Files that they refer to are read inside of it only.
type reader struct {
	root *os.Root
	to   *writer
	// files are the logs, relative to the root, with slashes.
	files []string
	// read are the files that are done, or that continue another one: they are no episodes of their own.
	read map[string]bool
}

// read imports a file or a folder, and the files that its trajectories refer to.
func read(ctx context.Context, name string, w *writer) (err error) {
	r, err := openFolder(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.root.Close()) }()
	r.to = w
	if len(r.files) > 1 {
		if err := r.findContinued(); err != nil {
			return err
		}
	}
	for _, file := range r.files {
		if r.read[file] {
			continue
		}
		r.read[file] = true
		err := r.file(ctx, file)
		if errors.Is(err, errNoLog) && len(r.files) > 1 { // a folder has other files, too
			w.Notify.Warnf("%s is left out: %v", file, err)
		} else if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

var errNoLog = errors.New("it has no steps, as an ATIF trajectory has, and no samples, as a log of inspect_ai")

var logExts = map[string]bool{".json": true, ".eval": true}

// openFolder opens the folder of a path with all logs in it, or those in its folder of trajectories. The root of an export of
// airqa is the folder above its trajectories, since its images are there.
func openFolder(name string) (*reader, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	dir, inside := filepath.Dir(name), filepath.Base(name)
	if info.IsDir() {
		dir, inside = name, ""
	}
	const trajectories = "trajectories"
	if abs, err := filepath.Abs(dir); err == nil && filepath.Base(abs) == trajectories {
		dir, inside = filepath.Dir(abs), path.Join(trajectories, inside)
	}
	r := &reader{read: make(map[string]bool)}
	if r.root, err = os.OpenRoot(dir); err != nil {
		return nil, err
	}
	if !info.IsDir() {
		r.files = []string{inside}
		return r, nil
	}
	for _, sub := range []string{path.Join(inside, trajectories), path.Clean(inside)} {
		_ = fs.WalkDir(r.root.FS(), sub, func(name string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && logExts[path.Ext(name)] {
				r.files = append(r.files, name)
			}
			return nil // what cannot be read has no logs
		})
		if len(r.files) > 0 {
			return r, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("%s has no *.json file and no *.eval file", name), r.root.Close())
}

// beside returns the name of a file that another one refers to; false if it is outside of the folder.
func (r *reader) beside(name, ref string) (string, bool) {
	if path.IsAbs(ref) || strings.Contains(ref, "://") || strings.Contains(ref, "\\") {
		return "", false
	}
	found := path.Join(path.Dir(name), ref)
	return found, filepath.IsLocal(filepath.FromSlash(found))
}

// records returns the objects of a file: one, an array, or lines. It counts the numbers that JSON does not have.
func (r *reader) records(name string, l Losses) ([]json.RawMessage, error) {
	raw, err := files.ReadRegular(r.root, name, r.to.MaxFile)
	if err != nil {
		return nil, err
	}
	raw = l.finite(files.Text(raw))
	var list []json.RawMessage
	for dec := json.NewDecoder(bytes.NewReader(raw)); ; {
		var one json.RawMessage
		err := dec.Decode(&one)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		several := []json.RawMessage{one}
		if one[0] == '[' {
			_ = json.Unmarshal(one, &several) // it is valid
		}
		list = append(list, several...)
	}
}

// safe returns JSON without secrets, before places in its texts and hashes of them are taken.
func (c Config) safe(raw []byte) []byte {
	if c.Redact == nil {
		return raw
	}
	return ledger.RedactStrings(raw, c.Redact)
}

// findContinued finds the files that continue others.
func (r *reader) findContinued() error {
	for _, name := range r.files {
		if path.Ext(name) != ".json" {
			continue
		}
		list, err := r.records(name, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, raw := range list {
			var t struct {
				Continued string `json:"continued_trajectory_ref"`
			}
			_ = json.Unmarshal(raw, &t) // reported when the record is read
			if next, ok := r.beside(name, t.Continued); ok && t.Continued != "" && next != name {
				r.read[next] = true
			}
		}
	}
	return nil
}

// file imports the trajectories of a file, or a log of inspect_ai.
func (r *reader) file(ctx context.Context, name string) error {
	if zipped, err := r.zipped(ctx, name); zipped || err != nil {
		return err
	}
	losses := make(Losses)
	list, err := r.records(name, losses)
	if err != nil {
		return err
	}
	for i, raw := range list {
		raw = r.to.safe(raw)
		log := inspectLog{name: path.Base(name), to: r.to, numbers: losses}
		if log.read(raw) {
			err = log.samples(ctx)
		} else if t, notOne := readTrajectory(raw, losses); notOne != nil {
			err = notOne
		} else {
			err = errors.Join(ctx.Err(), r.trajectory(ctx, name, t, losses))
		}
		if err != nil {
			return fmt.Errorf("record %d: %w", i+1, err)
		}
		losses = make(Losses)
	}
	return nil
}
