package flat

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"airqa/env/vectors"
)

func generationOf(name string) int {
	n, _ := strconv.Atoi(manifestName.FindStringSubmatch(name)[1]) // the pattern has at most nine digits
	return n
}

// Branch makes this generation begin as a copy of another one: its manifests, not its segments. Collections that this
// generation has already are kept, as after an interrupted change; it reports whether there are any.
func (s *Store) Branch(from int) (kept bool, err error) {
	s.write.Lock()
	defer s.write.Unlock()
	names, err := s.names()
	if err != nil {
		return false, fmt.Errorf("branch vector store: %w", err)
	}
	for _, name := range names {
		if !errors.Is(s.exists(name), vectors.ErrNotFound) {
			kept = true
			continue
		}
		m, readErr := readManifest(s.folder(name), from)
		if errors.Is(readErr, fs.ErrNotExist) {
			continue
		}
		if readErr == nil {
			readErr = m.write(s.folder(name), s.generation)
		}
		if readErr != nil {
			err = errors.Join(err, fmt.Errorf("branch collection %s: %w", name, readErr))
		}
	}
	return kept, err
}

// Keep removes the generations that keep does not report, and the segments that no other generation lists. Readers that
// have them open are not disturbed; others do not find them any more.
func (s *Store) Keep(keep func(generation int) bool) error {
	s.write.Lock()
	defer s.write.Unlock()
	names, err := s.names()
	for _, name := range names {
		entries, listErr := os.ReadDir(s.folder(name))
		err = errors.Join(err, listErr)
		for _, e := range entries {
			if manifestName.MatchString(e.Name()) && !keep(generationOf(e.Name())) {
				err = errors.Join(err, os.Remove(filepath.Join(s.folder(name), e.Name())))
			}
		}
		err = errors.Join(err, s.tidy(name))
	}
	if err != nil {
		return fmt.Errorf("remove old generations: %w", err)
	}
	return nil
}

// Versions returns the version of each paper that has records in a collection (see [Store.Add]).
func (s *Store) Versions(_ context.Context, name string) (map[string]string, error) {
	list := make(map[string]string)
	err := s.with(name, func(c *collection) error {
		for _, p := range c.parts {
			if err := p.addVersions(list); err != nil {
				return fmt.Errorf("read collection %s: %w", name, err)
			}
		}
		return nil
	})
	return list, err
}

// addVersions adds the papers with live records.
func (p *part) addVersions(list map[string]string) error {
	for i := range uint32(p.origins.papers.len()) {
		records, err := p.origins.ofPaper(i)
		if err != nil {
			return err
		}
		for _, r := range records {
			if !p.origins.dead.has(r) {
				list[string(p.origins.papers.at(i))] = string(p.origins.versions.at(i))
				break
			}
		}
	}
	return nil
}

// Vectors calls use with the dense records of some papers, those of a cell in the order in which they were added.
func (s *Store) Vectors(_ context.Context, name string, papers []string, use func(vectors.Record) error) error {
	return s.with(name, func(c *collection) error {
		for _, p := range c.parts {
			records, err := p.matching(vectors.Filter{Papers: papers})
			if err != nil {
				return err
			}
			for _, r := range records {
				o, err := p.origins.at(r)
				if err == nil {
					err = use(vectors.Record{Origin: o, Vector: vectors.Vector{Dense: p.rows.vector(int(r))}})
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}
