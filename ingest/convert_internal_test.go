package ingest

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/pdf"
	"airqa/fixtures"
	"airqa/ingest/floats"
	"airqa/ingest/structure"
	"airqa/internal/testkit"
	"airqa/internal/testkit/fixturetest"
)

// Publishers strip anchors and outlines, so font style and numbering must suffice.
func TestHeadingsAreFoundWithoutAnchorsAndOutline(t *testing.T) {
	testkit.OneGoroutine(t)
	pool, err := pdf.NewPool(pdf.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pool.Close() }()
	for _, slug := range fixturetest.Slugs() {
		t.Run(slug, func(t *testing.T) {
			truth, err := fixturetest.Truth(slug)
			if err != nil {
				t.Fatal(err)
			}
			var want, got []string
			for _, s := range truth.Sections {
				want = append(want, strings.ToLower(s.Title))
			}
			parts := bare(t, pool, slug)
			for _, s := range parts.Sections {
				got = append(got, strings.ToLower(s.Title))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(parts.References) != len(truth.References) || len(parts.Equations) != len(truth.Equations) {
				t.Errorf("%d references and %d equations, want %d and %d",
					len(parts.References), len(parts.Equations), len(truth.References), len(truth.Equations))
			}
		})
	}
}

// bare reads a sample paper without its anchors and outline.
func bare(t *testing.T, pool *pdf.Pool, slug string) structure.Paper {
	t.Helper()
	data, err := fs.ReadFile(fixtures.Papers(), slug+".pdf")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := pool.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = doc.Close() }()
	c, err := readDocument(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	source := c.Source
	source.Anchors, source.Outline = nil, nil
	source.Regions = floats.Find(source.Doc).Regions()
	return structure.Read(source)
}
