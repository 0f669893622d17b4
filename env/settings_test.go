package env_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env"
	"airqa/env/datadir"
)

// The record of a data directory fills in what is not given, and refuses what contradicts it.
func TestSettleIndex(t *testing.T) {
	type index = datadir.Index
	const server = "milvus://db:19530/papers?prefix=a_"
	remote := &index{Embedder: "openai:m", Window: 512, Vectors: server}
	for _, tt := range []struct {
		name   string
		record *index
		want   index
		change bool
		got    index
		err    string
	}{
		{"nothing", nil, index{}, false, index{Embedder: "minilm", Vectors: "files"}, ""},
		{"flags of a directory without a record", nil, *remote, false, *remote, ""},
		{"recorded", remote, index{}, false, *remote, ""},
		{"repeated", remote, *remote, false, *remote, ""},
		{
			"credentials", remote,
			index{Vectors: "milvus://me:word@db/papers?tls=true&prefix=a_&timeout=2s"},
			false,
			index{Embedder: "openai:m", Window: 512, Vectors: "milvus://me:word@db/papers?tls=true&prefix=a_&timeout=2s"},
			"",
		},
		{"another embedder", remote, index{Embedder: "minilm"}, false, index{}, "made with embedder openai:m, not minilm"},
		{"another embedder for all", remote, index{Embedder: "minilm"}, true, index{Embedder: "minilm", Vectors: server}, ""},
		{"another server", remote, index{Vectors: "milvus://me:word@other"}, false, index{}, "are at " + server + ", not at milvus://other:19530; leave out --vectors"},
		{"another prefix", remote, index{Vectors: "milvus://db/papers?prefix=b_"}, false, index{}, "prefix=b_"},
		{"files instead", remote, index{Vectors: "files"}, false, index{}, "not at files"},
		{"files instead for all", remote, index{Vectors: "files"}, true, index{}, "switch with airqa store vectors copy"},
		{"a server for all", &index{Embedder: "minilm", Vectors: "files"}, index{Vectors: server}, true, index{Embedder: "minilm", Vectors: server}, ""},
		{"a server instead", &index{Embedder: "minilm", Vectors: "files"}, index{Vectors: server}, false, index{}, "are at files"},
		{"another window", remote, index{Window: 100}, false, index{Embedder: "openai:m", Window: 100, Vectors: server}, ""},
		{
			"a password in the record", &index{Embedder: "minilm", Vectors: "milvus://me:word@db?ca=/etc/passwd&tls=true"},
			index{},
			false,
			index{Embedder: "minilm", Vectors: "milvus://db:19530?tls=true"},
			"",
		},
		{"a bad record", &index{Embedder: "minilm", Vectors: "http://db"}, index{}, false, index{}, "airqa.json of "},
		{"a bad flag", nil, index{Vectors: "http://db"}, false, index{}, "milvus URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := datadir.Create(filepath.Join(t.TempDir(), "data"))
			check(t, err)
			check(t, d.WriteInfo(datadir.Info{Index: tt.record}))
			got, err := env.SettleIndex(d.Path(), tt.want, tt.change)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "me:word@") {
					t.Errorf("got %v, want %q in it", err, tt.err)
				}
				return
			}
			check(t, err)
			if diff := cmp.Diff(tt.got, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got, err := env.SettleIndex(t.TempDir(), datadir.Index{}, false); err != nil || got.Embedder != "minilm" {
		t.Errorf("no data directory: %v, %v", got, err)
	}
}

// Writing records how the index was made.
func TestFinishRecordsIndex(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: dir})
	check(t, err)
	check(t, w.Finish(t.Context()))
	raw, err := os.ReadFile(filepath.Join(dir, datadir.InfoName))
	check(t, err)
	if want := "\"index\": {\n    \"embedder\": \"minilm\",\n    \"vectors\": \"files\"\n  }"; !strings.Contains(string(raw), want) {
		t.Errorf("no %s in %s", want, raw)
	}
}
