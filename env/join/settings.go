package join

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/index"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/env/vectors/flat"
	"airqa/qa"
)

// settings are the settings that directories must share to be joined.
type settings struct {
	chunks       datadir.Chunking
	index        datadir.Index
	dense, words vectors.Collection
	// parsers has the versions of each parser that papers were read by.
	parsers map[string][]string
}

// settingsOf reads the settings of a generation. It returns an error unless both collections belong to its papers.
func settingsOf(ctx context.Context, store *flat.Store, info datadir.Info, files []paperdb.Owned) (settings, error) {
	s := settings{chunks: datadir.DefaultChunking(), index: *info.Index, parsers: make(map[string][]string)}
	for _, f := range files {
		base, _, _ := strings.Cut(f.Parser, "+")
		at := strings.LastIndex(base, "-") + 1
		if name := base[:at]; !slices.Contains(s.parsers[name], base[at:]) {
			s.parsers[name] = append(s.parsers[name], base[at:])
		}
	}
	if info.Chunks != nil {
		s.chunks = *info.Chunks
	}
	var errDense, errWords error
	s.dense, errDense = store.Info(ctx, index.CollectionOf(embed.Info{Model: info.Index.Embedder}))
	s.words, errWords = store.Info(ctx, bm25.Name)
	err := errors.Join(errDense, errWords)
	if err == nil && (s.dense.Source != info.Fingerprint || s.words.Source != info.Fingerprint) {
		err = errors.New("it belongs to other papers")
	}
	if err != nil {
		return s, fmt.Errorf("its search index is not complete (%w); run: airqa store vectors --rebuild", err)
	}
	return s, nil
}

// differences lists what differs from other settings, one line each.
func (s settings) differences(other settings) (list []string) {
	differ := func(format string, a, b any) {
		if a != b {
			list = append(list, fmt.Sprintf(format, a, b))
		}
	}
	differ("passages of %v, not %v", s.chunks, other.chunks)
	differ("embedder %v, not %v", modelOf(s.dense), modelOf(other.dense))
	differ("windows of %v tokens, not %v", s.dense.Window, other.dense.Window)
	differ("text prefix %q, not %q", s.index.TextPrefix, other.index.TextPrefix)
	differ("query prefix %q, not %q", s.index.QueryPrefix, other.index.QueryPrefix)
	if len(list) == 0 && (!index.SameContent(s.dense, other.dense) || !index.SameContent(s.words, other.words)) {
		list = append(list, "another form of the search index")
	}
	for _, name := range slices.Sorted(maps.Keys(s.parsers)) {
		have := other.parsers[name]
		for _, v := range s.parsers[name] {
			if len(have) > 0 && !slices.Contains(have, v) {
				list = append(list, fmt.Sprintf("papers read by %s%s, not %s%s", name, v, name, strings.Join(have, " or "+name)))
			}
		}
	}
	return list
}

// modelOf names the embedding model of a collection.
func modelOf(c vectors.Collection) string {
	return embed.Info{Model: c.Model, Hash: c.ModelHash}.String()
}

// checkSettings compares each directory with the target, or with the first one if the target has no papers.
func (j *Join) checkSettings() error {
	path, want := j.to.path, j.to.settings
	known := len(j.to.papers.Files) > 0
	for _, s := range j.sources {
		if len(s.papers.Files) == 0 {
			continue
		}
		if !known {
			path, want, known = s.path, s.settings, true
			if c := j.to.info.Chunks; c != nil && *c != want.chunks {
				return fmt.Errorf("join %s: it has passages of %v, and %s is set up for %v", s.path, want.chunks, j.to.path, *c)
			}
		}
		if list := s.settings.differences(want); len(list) > 0 {
			return fmt.Errorf("join %s: it has other settings than %s: %s; ingest its PDFs with those settings", s.path, path, strings.Join(list, "; "))
		}
	}
	if !known {
		return errors.New("join: none of the directories has papers")
	}
	return nil
}

// checkShards returns an error if directories are shards of a corpus, but of different divisions, or not all of one.
func (j *Join) checkShards() error {
	var first *source
	paths, of := make(map[int]string), 0
	for _, s := range j.sources {
		part, count := 0, 0
		if n, _ := fmt.Sscanf(s.info.Shard, "%d/%d", &part, &count); n < 2 {
			continue
		}
		if first == nil {
			first, of = s, count
		}
		if count != of {
			return fmt.Errorf("join %s: it is shard %s, and %s is shard %s; join the shards of one division",
				s.path, s.info.Shard, first.path, first.info.Shard)
		}
		paths[part] = s.path
	}
	for part := range of {
		if part++; paths[part] == "" && !j.cfg.Partial {
			return qa.Failedf("join: %d of %d shards are given, and shard %d/%[2]d is missing; ingest it with --shard %[3]d/%[2]d, and join all of them",
				len(paths), of, part)
		}
	}
	return nil
}
