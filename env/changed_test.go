package env_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/index"
	"airqa/env/paperdb"
	"airqa/internal/testkit"
)

// After a few changes of any kind, fingerprint and index match the papers in the database. The writer derives the list of papers
// from the one it has read, so every change must be noticed.
func TestFewChanges(t *testing.T) {
	testkit.OneGoroutine(t)
	const papers = 40
	model := &letters{}
	numbered := func(i int, file string) paperdb.Paper {
		p := paper(fmt.Sprint("Paper ", i), fmt.Sprint("Text of paper ", i))
		p.File = paperdb.File{SHA256: file, Name: file + ".pdf", Parser: "airqa-1"}
		return p
	}
	all := make([]paperdb.Paper, papers)
	for i := range all {
		all[i] = numbered(i, fmt.Sprintf("file%d", i))
	}
	dir := filepath.Join(t.TempDir(), "papers")
	cfg := env.WriterConfig{Dir: dir, Embedder: model}
	check(t, fillWith(t, cfg, all...))
	testkit.Checks(t, 3, 12)
	rapid.Check(t, func(r *rapid.T) {
		w, err := env.OpenWriter(t.Context(), cfg)
		check(t, err)
		for range rapid.IntRange(1, 5).Draw(r, "changes") {
			i := rapid.IntRange(0, papers+3).Draw(r, "paper")
			id := numbered(i, "").Metadata.PaperID
			switch rapid.SampledFrom([]string{"add", "moved", "remove", "enrich"}).Draw(r, "change") {
			case "add":
				err = w.Put(t.Context(), numbered(i, rapid.StringMatching("f[0-9]{6}").Draw(r, "file")), nil)
			case "moved": // another parser reads another title in the file of a paper
				var f paperdb.File
				if f, _, err = w.Owner(t.Context(), id); err == nil {
					p := numbered(1000+i, f.SHA256)
					p.File.Parser = "airqa-2"
					err = w.Put(t.Context(), p, nil)
				}
			case "remove":
				write := rapid.SampledFrom([]func(string) string{strings.Clone, strings.ToUpper}).Draw(r, "form")
				err = w.Remove(t.Context(), []env.Removing{{PaperID: write(id)}})
			case "enrich":
				if _, have, _ := w.Owner(t.Context(), id); have {
					short := strings.ReplaceAll(id, "-", "") // as the engine reads it, too
					fill := paperdb.Fill{Column: "tldr", Key: id, Text: rapid.StringMatching("[a-z]{4}").Draw(r, "tldr")}
					err = w.Enrich(t.Context(), rapid.SampledFrom([]string{id, short}).Draw(r, "form"), []paperdb.Fill{fill})
				}
			}
			check(t, err)
		}
		check(t, w.Finish(t.Context()))
		d, err := datadir.Open(dir)
		check(t, err)
		info, err := d.Info()
		check(t, err)
		db, err := paperdb.OpenStored(t.Context(), d.Database())
		check(t, err)
		have, err := index.ReadPapers(t.Context(), db)
		check(t, err)
		check(t, db.Close())
		if info.Fingerprint != have.Fingerprint || info.Papers != len(have.Files) {
			r.Fatalf("%d papers with fingerprint %s; the database has %d with %s", info.Papers, info.Fingerprint, len(have.Files), have.Fingerprint)
		}
		list, err := index.Verify(t.Context(), index.VerifyConfig{Dir: dir, Embedder: model, Deep: true})
		check(t, err)
		if i := slices.IndexFunc(list, func(v index.Verified) bool { return len(v.Faults) > 0 }); i >= 0 {
			r.Fatalf("%s: %v", list[i].Name, list[i].Faults)
		}
	})
}
