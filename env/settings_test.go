package env_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/index"
)

// The record of a data directory fills in what is not given, and refuses what contradicts it.
func TestSettle(t *testing.T) {
	type record = datadir.Index
	const server = "milvus://db:19530/papers?prefix=a_"
	remote := &record{Embedder: "openai:m", Window: 512, Vectors: server}
	oneVector := &record{Embedder: "minilm", VectorsPerChunk: "one", Vectors: "files"}
	for _, tt := range []struct {
		name   string
		record *record
		want   record
		change bool
		got    record
		err    string
	}{
		{"nothing", nil, record{}, false, record{Embedder: "minilm", Vectors: "files"}, ""},
		{"flags of a directory without a record", nil, *remote, false, *remote, ""},
		{"recorded", remote, record{}, false, *remote, ""},
		{"repeated", remote, *remote, false, *remote, ""},
		{
			"credentials", remote,
			record{Vectors: "milvus://me:word@db/papers?tls=true&prefix=a_&timeout=2s"},
			false,
			record{Embedder: "openai:m", Window: 512, Vectors: "milvus://me:word@db/papers?tls=true&prefix=a_&timeout=2s"},
			"",
		},
		{"another embedder", remote, record{Embedder: "minilm"}, false, record{}, "made with embedder openai:m, not minilm"},
		{"another embedder for all", remote, record{Embedder: "minilm"}, true, record{Embedder: "minilm", Vectors: server}, ""},
		{"another server", remote, record{Vectors: "milvus://me:word@other"}, false, record{}, "are at " + server + ", not at milvus://other:19530; leave out --vectors"},
		{"another prefix", remote, record{Vectors: "milvus://db/papers?prefix=b_"}, false, record{}, "prefix=b_"},
		{"files instead", remote, record{Vectors: "files"}, false, record{}, "not at files"},
		{"files instead for all", remote, record{Vectors: "files"}, true, record{}, "switch with airqa store vectors --data"},
		{"a server for all", &record{Embedder: "minilm", Vectors: "files"}, record{Vectors: server}, true, record{Embedder: "minilm", Vectors: server}, ""},
		{"a server instead", &record{Embedder: "minilm", Vectors: "files"}, record{Vectors: server}, false, record{}, "are at files"},
		{"vectors as recorded", oneVector, record{}, false, *oneVector, ""},
		{
			"other vectors for all", oneVector,
			record{VectorsPerChunk: "windows"},
			true,
			record{Embedder: "minilm", VectorsPerChunk: "windows", Vectors: "files"},
			"",
		},
		{"another embedder has no such form", oneVector, record{Embedder: "openai:m"}, true, record{Embedder: "openai:m", Vectors: "files"}, ""},
		{"another window", remote, record{Window: 100}, false, record{Embedder: "openai:m", Window: 100, Vectors: server}, ""},
		{
			"a password in the record", &record{Embedder: "minilm", Vectors: "milvus://me:word@db?ca=/etc/passwd&tls=true"},
			record{},
			false,
			record{Embedder: "minilm", Vectors: "milvus://db:19530?tls=true"},
			"",
		},
		{"a bad record", &record{Embedder: "minilm", Vectors: "http://db"}, record{}, false, record{}, "airqa.json of "},
		{"a bad flag", nil, record{Vectors: "http://db"}, false, record{}, "milvus URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := datadir.Create(filepath.Join(t.TempDir(), "data"))
			check(t, err)
			check(t, d.WriteInfo(datadir.Info{Index: tt.record}))
			got, err := index.Settle(d.Path(), tt.want, tt.change)
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
	if got, err := index.Settle(t.TempDir(), datadir.Index{}, false); err != nil || got.Embedder != "minilm" {
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
