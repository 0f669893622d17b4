package env_test

import (
	"path/filepath"
	"strings"
	"testing"

	"airqa/env"
	"airqa/env/index"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/internal/testkit/milvustest"
)

// The same papers compare equal in files and on a server; different papers do not.
func TestCompare(t *testing.T) {
	server := milvustest.Start(t)
	url := "milvus://" + server.Address + "?prefix=compare_&timeout=5s"
	dir := filepath.Join(t.TempDir(), "data")
	model := &letters{model: "letters", words: 3}
	compare := func(sample int) string {
		t.Helper()
		d, err := index.Compare(t.Context(), index.CompareConfig{Dir: dir, B: url, Embedder: model, Sample: sample, K: 5})
		check(t, err)
		return strings.Join(d.Differences, "\n")
	}
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model}, attention, bert))
	if got := compare(10); !strings.Contains(got, "text_letters: only in the first store") {
		t.Errorf("an empty server: %q", got)
	}
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model, Vectors: url}))
	if got := compare(10); got != "" {
		t.Errorf("the same papers: %q", got)
	}
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model}, resnet))
	if got := compare(10); !strings.Contains(got, "built from different papers") {
		t.Errorf("one paper more: %q", got)
	}
}

// The recall of an approximate index is measured against the files, recorded with the collection, and forgotten with the
// index. Runs record the index.
func TestRecall(t *testing.T) {
	server := milvustest.Start(t)
	url := "milvus://" + server.Address + "?prefix=recall_&timeout=5s"
	dir := filepath.Join(t.TempDir(), "data")
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: cheap{}}, small(1), small(2), small(3), small(4)))
	to := func(index string) {
		t.Helper()
		check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: cheap{}, Vectors: url + index}))
	}
	stored := func() vectors.Collection {
		t.Helper()
		list, err := index.Collections(t.Context(), dir, url)
		check(t, err)
		return list[1].Collection
	}
	to("&index=IVF_FLAT&nlist=16&nprobe=1")
	if got := stored(); got.Index != "IVF_FLAT nlist=16 nprobe=1" || got.Recall != nil {
		t.Errorf("%+v", got)
	}
	result, err := index.Compare(t.Context(), index.CompareConfig{Dir: dir, B: url, Embedder: cheap{}, Sample: 20, K: 5})
	check(t, err)
	r := stored().Recall
	if r == nil || r.Records != 4*31 || r.Queries < 20 || r.At1 <= 0 || r.At1 > 1 || r.At5 <= 0 || r.At10 <= 0 {
		t.Errorf("recall %+v", r)
	}
	if x := result.Approximate; x == nil || *x.Recall != *r || len(result.Differences) > 0 {
		t.Errorf("%+v", result)
	}
	e, err := env.Open(t.Context(), env.Config{Dir: dir, Vectors: url, Embedder: cheap{}, QueryInProcess: true})
	check(t, err)
	if got := e.Retrieval()["vector_index"]; got != "IVF_FLAT nlist=16 nprobe=1" {
		t.Errorf("a run records index %v", got)
	}
	check(t, e.Close())
	_, err = env.Open(t.Context(), env.Config{Dir: dir, Vectors: url + "&index=FLAT", Embedder: cheap{}, QueryInProcess: true})
	if err == nil || !strings.Contains(err.Error(), "has index IVF_FLAT nlist=16 nprobe=1, not FLAT; leave it out of the URL") {
		t.Errorf("a reader that wants another index: %v", err)
	}
	to("") // no choice keeps it
	if got := stored(); got.Index != "IVF_FLAT nlist=16 nprobe=1" || got.Recall == nil {
		t.Errorf("%+v", got)
	}
	to("&index=FLAT")
	if got := stored(); got.Index != "" || got.Recall != nil {
		t.Errorf("%+v", got)
	}
}

// A change of the index embeds nothing and inserts nothing, and is completed when it is repeated.
func TestIndexIsChangedInPlace(t *testing.T) {
	m := move(t)
	check(t, m.write(t, step{put: []paperdb.Paper{letterPaper(0), letterPaper(1)}}))
	cfg := m.config()
	cfg.Vectors += "&index=AUTOINDEX"
	for n, ended := 2, false; !ended; n++ {
		m.reset(n)
		ended = fillWith(t, cfg) == nil
		if m.rows != 0 {
			t.Errorf("%d records were inserted", m.rows)
		}
	}
	m.reset(-1)
	check(t, m.write(t, step{put: []paperdb.Paper{letterPaper(2)}}))
	m.wants(t, "another index, and one more")
	if info, err := m.open(t).Info(t.Context(), "text_letters"); err != nil || info.Index != "AUTOINDEX" {
		t.Errorf("%+v, %v", info, err)
	}
	m.verify(t)
}
