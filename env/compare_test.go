package env_test

import (
	"path/filepath"
	"strings"
	"testing"

	"airqa/env"
	"airqa/env/index"
	"airqa/internal/testkit/milvustest"
)

// The index of the dense collection is the one of the URL, and stays when no other is named. Runs record it. Another one is made
// from the vectors that are there.
func TestIndexOfServer(t *testing.T) {
	server := milvustest.Start(t)
	url := "milvus://" + server.Address + "?prefix=index_&timeout=5s"
	dir := filepath.Join(t.TempDir(), "data")
	model := &letters{model: "letters"}
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model}, small(1), small(2)))
	model.asked = 0
	for _, tt := range []struct{ index, want string }{
		{"&index=IVF_FLAT&nlist=16&nprobe=1", "IVF_FLAT nlist=16 nprobe=1"},
		{"", "IVF_FLAT nlist=16 nprobe=1"},
		{"&index=FLAT", ""},
	} {
		check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model, Vectors: url + tt.index}))
		list, err := index.Collections(t.Context(), dir, url)
		check(t, err)
		if got := list[1].Index; got != tt.want {
			t.Errorf("%s: index %q, want %q", tt.index, got, tt.want)
		}
		e, err := env.Open(t.Context(), env.Config{Dir: dir, Vectors: url, Embedder: model, QueryInProcess: true})
		check(t, err)
		if got, _ := e.Retrieval()["vector_index"].(string); got != tt.want {
			t.Errorf("%s: a run records index %q", tt.index, got)
		}
		check(t, e.Close())
		_, err = env.Open(t.Context(), env.Config{Dir: dir, Vectors: url + "&index=AUTOINDEX", Embedder: model, QueryInProcess: true})
		if err == nil || !strings.Contains(err.Error(), "not AUTOINDEX; leave it out of the URL") {
			t.Errorf("%s: a reader that wants another index: %v", tt.index, err)
		}
	}
	if model.asked != 0 {
		t.Errorf("%d texts were embedded again", model.asked)
	}
}

// An index that the server refuses is an error of the first ingest, and the same ingest with another index embeds nothing again.
func TestRefusedIndex(t *testing.T) {
	url := "milvus://" + milvustest.Start(t).Address + "?prefix=refused_&timeout=5s"
	cfg := env.WriterConfig{Dir: filepath.Join(t.TempDir(), "data"), Embedder: &letters{model: "letters"}, Vectors: url + "&index=SCANN"}
	err := fillWith(t, cfg, small(1), small(2))
	if err == nil || !strings.Contains(err.Error(), "the server refuses index SCANN: ") || !strings.Contains(err.Error(), "run the same airqa command again") {
		t.Errorf("a refused index: %v", err)
	}
	model := &letters{model: "letters"}
	cfg.Embedder, cfg.Vectors = model, url+"&index=IVF_FLAT"
	check(t, fillWith(t, cfg, small(1), small(2)))
	list, err := index.Verify(t.Context(), index.VerifyConfig{Dir: cfg.Dir, Vectors: url, Embedder: model, Deep: true})
	check(t, err)
	if model.asked != 0 || len(list) != 2 || len(list[0].Faults)+len(list[1].Faults) > 0 {
		t.Errorf("%d texts were embedded again; %+v", model.asked, list)
	}
}
