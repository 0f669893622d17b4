package flat

import (
	"context"

	"airqa/env/vectors"
)

// alone returns a collection of one segment.
func alone(s *set) *collection {
	c := &collection{manifest: manifest{Collection: s.info}, parts: []*part{{set: s}}}
	if s.words != nil {
		c.manifest.Corpus = corpusOf(c.parts, s.info.Corpus)
	}
	return c
}

func (s *set) search(ctx context.Context, e engine, q vectors.Query) ([]vectors.Hit, error) {
	return alone(s).search(ctx, e, q)
}

func (s *set) count(f vectors.Filter) (int, error) { return alone(s).count(f) }
