package flat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"airqa/env/vectors"
	"airqa/internal/files"
)

// Salvaged has the vectors in the segments of a collection whose manifest is lost.
type Salvaged struct {
	parts []*part // newest first
}

// Salvage opens all undamaged segments of a dense collection with vectors of the same model as want, whether or not a
// manifest lists them. There may be none.
func (s *Store) Salvage(ctx context.Context, want vectors.Collection) (*Salvaged, error) {
	got := new(Salvaged)
	if err := want.Check(); err != nil { // the name becomes a path
		return nil, err
	}
	entries, err := os.ReadDir(s.folder(want.Name))
	for _, e := range slices.Backward(entries) { // named by ascending numbers
		if m := segmentName.FindStringSubmatch(e.Name()); m == nil || m[2] != "vec" {
			continue
		}
		p, openErr := openPart(s.folder(want.Name), segment{File: e.Name()}, want.Kind)
		if openErr != nil {
			continue
		}
		got.parts = append(got.parts, p)
		if !sameVectors(p.info, want) || p.file.verify(ctx.Err) != nil {
			got.parts = got.parts[:len(got.parts)-1]
			err = errors.Join(err, p.release())
		}
	}
	if err = errors.Join(files.IgnoreMissing(err), ctx.Err()); err != nil {
		return nil, fmt.Errorf("read the segments of collection %s: %w", want.Name, errors.Join(err, got.Close()))
	}
	return got, nil
}

func sameVectors(a, b vectors.Collection) bool {
	return a.Kind == b.Kind && a.Dim == b.Dim && a.Model == b.Model && a.ModelHash == b.ModelHash && a.Window == b.Window
}

// Segments returns the number of segments.
func (g *Salvaged) Segments() int { return len(g.parts) }

// Close unmaps the segments.
func (g *Salvaged) Close() error {
	var err error
	for _, p := range g.parts {
		err = errors.Join(err, p.release())
	}
	return err
}

// Vectors calls use with the records of some papers that were added with these versions, those of a cell in the order in
// which they were added. Several segments may have a cell, since merges and other generations leave copies: the newest counts.
func (g *Salvaged) Vectors(papers []string, versions map[string]string, use func(vectors.Record) error) error {
	from := make(map[vectors.Origin]*part)
	for _, p := range g.parts {
		for _, id := range papers {
			i, ok := p.origins.papers.find(id)
			if !ok || string(p.origins.versions.at(i)) != versions[id] {
				continue
			}
			if err := p.salvage(i, from, use); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *part) salvage(paper uint32, from map[vectors.Origin]*part, use func(vectors.Record) error) error {
	records, err := p.origins.ofPaper(paper)
	for _, r := range records {
		var o vectors.Origin
		if o, err = p.origins.at(r); err != nil {
			return err
		}
		if from[o] == nil {
			from[o] = p
		}
		if from[o] == p {
			err = use(vectors.Record{Origin: o, Vector: vectors.Vector{Dense: p.rows.vector(int(r))}})
		}
		if err != nil {
			return err
		}
	}
	return err
}
