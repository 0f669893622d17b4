package env_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"airqa/env"
	"airqa/env/index"
	"airqa/env/paperdb"
	"airqa/internal/testkit"
	"airqa/internal/testkit/milvustest"
	"airqa/tools"
)

// failing embeds allowed texts before it fails, and has no dimension before the first, like an endpoint.
type failing struct {
	watched
	allowed atomic.Int64
}

var errNoCredit = errors.New("no credit")

func (f *failing) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if f.allowed.Add(-int64(len(texts))) < 0 {
		return nil, errNoCredit
	}
	return f.watched.Embed(ctx, texts)
}

// words opens a directory without vectors, and checks that its papers can be searched by words and queried.
func words(t *testing.T, cfg env.WriterConfig, papers ...paperdb.Paper) {
	t.Helper()
	for _, mode := range []env.Mode{env.Dense, env.Hybrid} {
		_, err := env.Open(t.Context(), env.Config{Dir: cfg.Dir, Vectors: cfg.Vectors, Embedder: cfg.Embedder, Mode: mode, QueryInProcess: true})
		if err == nil || !strings.Contains(err.Error(), "collection text_cheap lacks vectors") || !strings.Contains(err.Error(), "airqa ingest command again") {
			t.Errorf("%s: %v", mode, err)
		}
	}
	e, err := env.Open(t.Context(), env.Config{Dir: cfg.Dir, Vectors: cfg.Vectors, Embedder: cfg.Embedder, Mode: env.BM25, QueryInProcess: true})
	check(t, err)
	defer func() { check(t, e.Close()) }()
	for _, p := range papers {
		hits, err := e.Retrieve(t.Context(), p.Chunks[0].Text, 1, tools.Scope{})
		check(t, err)
		if len(hits) != 1 || hits[0].PDFID != p.Metadata.PaperID {
			t.Errorf("hits %v, want one of %s", hits, p.Metadata.Title)
		}
	}
	rows, err := e.Query(t.Context(), "SELECT paper_id FROM metadata")
	check(t, err)
	if len(rows.Values) != len(papers) {
		t.Errorf("%d papers, want %d", len(rows.Values), len(papers))
	}
}

// complete checks that a directory has all vectors, and that no text was embedded twice.
func complete(t *testing.T, cfg env.WriterConfig, model *failing) {
	t.Helper()
	list, err := index.Verify(t.Context(), index.VerifyConfig{Dir: cfg.Dir, Vectors: cfg.Vectors, Embedder: cfg.Embedder, Deep: true})
	check(t, err)
	for _, v := range list {
		if len(v.Faults) > 0 {
			t.Errorf("%s: %v", v.Name, v.Faults)
		}
	}
	for text, n := range model.twice {
		if n > 1 {
			t.Errorf("%.40q is embedded %d times", text, n)
		}
	}
}

// When the model fails before there are any vectors, the papers are there without, and a later ingest completes them.
func TestModelFailsInFirstIngest(t *testing.T) {
	server := milvustest.Start(t)
	for _, c := range []struct {
		name    string
		allowed int64
		vectors string
	}{
		{"at once", 0, ""},
		{"later", 64, ""},
		{"on a server", 0, "?prefix=first_"},
		{"on a server, later", 64, "?prefix=second_"},
	} {
		t.Run(c.name, func(t *testing.T) {
			testkit.OneGoroutine(t)
			model := &failing{}
			model.allowed.Store(c.allowed)
			cfg := env.WriterConfig{Dir: filepath.Join(t.TempDir(), "data"), Embedder: model}
			if c.vectors != "" {
				cfg.Vectors = "milvus://" + server.Address + c.vectors
			}
			papers := []paperdb.Paper{invented(1), invented(2), invented(3), invented(4), invented(5)}
			fails := func(hint string, papers ...paperdb.Paper) {
				t.Helper()
				if err := fillWith(t, cfg, papers...); !errors.Is(err, errNoCredit) || !strings.Contains(err.Error(), hint) {
					t.Errorf("got %v, want %q", err, hint)
				}
			}
			fails("--retrieve bm25", papers[:2]...)
			words(t, cfg, papers[:2]...)
			fails("the same airqa command again", papers[2])
			words(t, cfg, papers[:3]...)

			model.allowed.Store(1 << 30)
			check(t, fillWith(t, cfg))
			complete(t, cfg, model)

			model.allowed.Store(0) // from now on there are vectors to lose
			fails("stay available", papers[3])
			complete(t, cfg, model)
			model.allowed.Store(1 << 30)
			check(t, fillWith(t, cfg, papers[4]))
			complete(t, cfg, model)
			e, err := env.Open(t.Context(), env.Config{Dir: cfg.Dir, Vectors: cfg.Vectors, Embedder: model, QueryInProcess: true})
			check(t, err)
			if ids, err := e.Papers().IDs(t.Context(), 9); err != nil || len(ids) != 5 {
				t.Errorf("papers %v, %v", ids, err)
			}
			check(t, e.Close())
		})
	}
}

// An ingest that the model ended early leaves the papers that were read.
func TestModelFailsWhilePapersAreRead(t *testing.T) {
	model := &failing{}
	cfg := env.WriterConfig{Dir: filepath.Join(t.TempDir(), "data"), Embedder: model}
	w, err := env.OpenWriter(t.Context(), cfg)
	check(t, err)
	var papers []paperdb.Paper
	for seed := 0; err == nil && seed < 50; seed++ {
		papers = append(papers, invented(seed))
		err = w.Put(t.Context(), papers[seed], nil)
	}
	if !errors.Is(err, errNoCredit) {
		t.Fatalf("after %d papers: %v", len(papers), err)
	}
	if err := w.Finish(t.Context()); !errors.Is(err, errNoCredit) {
		t.Fatal(err)
	}
	words(t, cfg, papers...)
	model.allowed.Store(1 << 30)
	check(t, fillWith(t, cfg))
	complete(t, cfg, model)
}
