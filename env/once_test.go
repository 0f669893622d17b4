package env_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"airqa/env"
	"airqa/env/embed"
	"airqa/env/index"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/internal/testkit/milvustest"
)

// once is an embedder that notes how often each text was embedded. Like that of an endpoint, its dimension is unknown until
// then.
type once struct {
	letters
	texts map[string]int
}

func newOnce() *once {
	return &once{letters: letters{model: "letters", words: 3}, texts: make(map[string]int)}
}

func (o *once) Info() embed.Info { return embed.Info{Model: o.model, Window: o.words} }

func (o *once) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	for _, text := range texts {
		o.texts[text]++
	}
	return o.letters.Embed(ctx, texts)
}

// again returns the texts that were embedded twice, and forgets all.
func (o *once) again() (list []string) {
	for _, text := range slices.Sorted(maps.Keys(o.texts)) {
		if o.texts[text] > 1 {
			list = append(list, text)
		}
	}
	return list
}

// moving is a directory whose collections are on a server.
type moving struct {
	*served
	once    *once
	notices string
}

func move(t *testing.T) *moving {
	t.Helper()
	o := newOnce()
	return &moving{served: serve(t, o), once: o}
}

func (m *moving) config() env.WriterConfig {
	return env.WriterConfig{Dir: m.dir, Embedder: m.model, Vectors: m.url, Notice: func(line string) { m.notices += line + "\n" }}
}

// cached returns the size of the cache.
func (m *moving) cached(t *testing.T) int64 {
	t.Helper()
	info, err := os.Stat(m.cache())
	check(t, err)
	return info.Size()
}

func (m *moving) cache() string { return filepath.Join(m.dir, "embeddings", "text_letters.cache") }

// wants checks that no text was embedded twice, and that nothing is cached.
func (m *moving) wants(t *testing.T, what string) {
	t.Helper()
	if list := m.once.again(); len(list) > 0 {
		t.Errorf("%s: embedded again: %q", what, list)
	}
	if n := m.cached(t); n != 0 {
		t.Errorf("%s: the cache has %d bytes", what, n)
	}
	if m.notices != "" {
		t.Errorf("%s: notices %q", what, m.notices)
	}
}

// letterPaper is a paper of passages whose texts no other paper has.
func letterPaper(seed int) paperdb.Paper {
	word := func(n int) string { return fmt.Sprintf("w%c%c%c", 'a'+seed, 'a'+n/26, 'a'+n%26) }
	var texts []string
	for i := range 4 {
		var words []string
		for k := range 7 {
			words = append(words, word(7*i+k))
		}
		texts = append(texts, strings.Join(words, " "))
	}
	return paper("Paper "+word(99), texts...)
}

// An addition, another version, a removal, a rebuild and a move to another store embed each text once, although the cache is
// empty after each of them.
func TestEmbeddedOnceOnServer(t *testing.T) {
	m := move(t)
	cfg := m.config()
	id := letterPaper(2).Metadata.PaperID
	check(t, m.writeTo(t, cfg, step{put: []paperdb.Paper{letterPaper(0), letterPaper(1), letterPaper(2), letterPaper(3), letterPaper(4)}}))
	m.wants(t, "first")
	check(t, m.writeTo(t, cfg, step{put: []paperdb.Paper{letterPaper(5)}}))
	m.wants(t, "one more")
	check(t, m.writeTo(t, cfg, step{put: []paperdb.Paper{longer(letterPaper(1), 20)}}))
	m.wants(t, "another version")
	check(t, m.writeTo(t, cfg, step{remove: []string{id}}))
	m.wants(t, "one less")
	most := step{put: []paperdb.Paper{longer(letterPaper(0), 2), longer(letterPaper(3), 4), longer(letterPaper(4), 5), longer(letterPaper(5), 6)}}
	check(t, m.writeTo(t, cfg, most))
	m.wants(t, "most papers")

	for _, to := range []string{"", m.url, strings.Replace(m.url, "changes_", "other_", 1), ""} {
		next := cfg
		next.From, next.Vectors = cfg.Vectors, to
		check(t, fillWith(t, next))
		m.wants(t, "moved to "+to)
		faultless(t, index.VerifyConfig{Dir: m.dir, Embedder: m.model, Vectors: to})
		cfg = next
	}
}

// Records that a server has lost are embedded again, and no others. If it has lost the collection, a notice says so first.
func TestLostOnServer(t *testing.T) {
	m := move(t)
	cfg := m.config()
	check(t, fillWith(t, cfg, letterPaper(0), letterPaper(1)))
	m.wants(t, "first")
	lost := letterPaper(1).Metadata.PaperID
	check(t, m.open(t).Delete(t.Context(), "text_letters", vectors.Filter{Papers: []string{lost}, Table: "chunks"}))
	cfg.Rebuild = true
	check(t, fillWith(t, cfg))
	for _, text := range m.once.again() {
		if !strings.HasPrefix(text, "wb") {
			t.Errorf("%q was embedded again", text)
		}
	}
	want := "no vector of 12 texts of papers that were indexed before is left in collection text_letters; embedding them again\n"
	if m.notices != want || m.cached(t) != 0 {
		t.Errorf("notices %q, want %q; %d bytes cached", m.notices, want, m.cached(t))
	}
	m.notices, m.once.texts = "", make(map[string]int)
	m.server.Lose(t)
	check(t, fillWith(t, m.config()))
	if n := len(m.once.texts); !strings.HasPrefix(m.notices, fmt.Sprintf("no vector of %d texts", n-1)) { // and "dimension"
		t.Errorf("%d texts were embedded, notices %q", n, m.notices)
	}
	m.verify(t)
}

// The cache is emptied after the server has the vectors and the generation is committed. A writer that is killed anywhere
// embeds nothing again, also if more papers follow.
func TestKilledBeforeCacheIsEmptied(t *testing.T) {
	m := move(t)
	check(t, m.write(t, step{put: []paperdb.Paper{letterPaper(0), letterPaper(1), letterPaper(2)}}))
	change := step{put: []paperdb.Paper{letterPaper(3), longer(letterPaper(1), 20)}}
	m.reset(2) // it begins to change the server
	if m.write(t, change) == nil {
		t.Fatal("the server did not fail")
	}
	m.reset(-1)
	killed := filepath.Join(t.TempDir(), "data") // as it was before the server was updated
	check(t, os.CopyFS(killed, os.DirFS(m.dir)))
	cache, err := os.ReadFile(m.cache())
	check(t, err)
	check(t, m.write(t, step{}))
	m.wants(t, "repeated")

	check(t, os.WriteFile(m.cache(), cache, 0o600)) // killed before it was emptied
	check(t, m.write(t, step{put: []paperdb.Paper{letterPaper(4)}}))
	m.wants(t, "killed after the commit")

	m.dir = killed // killed before the commit; and the server has one paper more
	check(t, m.write(t, step{put: []paperdb.Paper{letterPaper(5)}}))
	m.wants(t, "killed before the commit")
	m.verify(t)
}

// A server that is away is an error of a move, and no reason to embed the texts again.
func TestMoveFromServerThatIsAway(t *testing.T) {
	o := newOnce()
	server := milvustest.Start(t)
	cfg := env.WriterConfig{Dir: filepath.Join(t.TempDir(), "data"), Embedder: o, Vectors: "milvus://" + server.Address + "?timeout=2s"}
	check(t, fillWith(t, cfg, attention))
	server.Kill()
	cfg.From, cfg.Vectors, o.asked = cfg.Vectors, "", 0
	if err := fillWith(t, cfg); err == nil || !strings.Contains(err.Error(), server.Address) || o.asked != 0 {
		t.Errorf("%v, %d texts embedded", err, o.asked)
	}
	cfg.From = ""
	var notices string
	cfg.Notice = func(line string) { notices += line }
	check(t, fillWith(t, cfg))
	if !strings.HasPrefix(notices, "no vector of ") || o.asked == 0 {
		t.Errorf("without the server: notices %q, %d texts embedded", notices, o.asked)
	}
}
