package ingest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/datadir"
)

func TestChunksAreCutAtTheLargestEdgeThatFits(t *testing.T) {
	tests := []struct {
		name       string
		limit      int
		paragraphs []string
		want       []string
	}{
		{"nothing", 8, nil, nil},
		{"empty paragraphs", 8, []string{"", "  "}, nil},
		{"all fits", 8, []string{"one two", "three four"}, []string{"one two\nthree four"}},
		{"at a paragraph", 5, []string{"one two three", "four five six"}, []string{"one two three", "four five six"}},
		{"at a sentence", 5, []string{"One two three. Four five six. Seven eight"}, []string{"One two three.", "Four five six.", "Seven eight"}},
		{"at a word", 3, []string{"one two three four five"}, []string{"one two three", "four five"}},
		{"within a word", 2, []string{"antidisestablishmentarianism"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newChunker(datadir.Chunking{Size: tt.limit})
			got := c.pack(tt.paragraphs)
			if tt.name != "within a word" {
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
			for _, chunk := range got {
				if n := c.length(chunk); n > tt.limit || chunk == "" {
					t.Errorf("%q has %d tokens, more than %d", chunk, n, tt.limit)
				}
			}
			if tt.name == "within a word" && strings.Join(got, "") != tt.paragraphs[0] {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestChunksOfCharacters(t *testing.T) {
	c := newChunker(datadir.Chunking{Size: 20, Unit: datadir.Characters})
	got := c.pack([]string{"Ein Satz. Noch einer, länger als zwanzig Zeichen.", "Ende", "学习学习学习学习学习学习学习学习学习学习学习"})
	want := []string{"Ein Satz. Noch", "einer, länger als", "zwanzig Zeichen.", "Ende\n学习学习学习学习学习学", "习学习学习学习学习学习"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestChunkMark(t *testing.T) {
	for want, c := range map[string]datadir.Chunking{
		"": {}, "+chunks-512-characters": {Unit: datadir.Characters}, "+chunks-256-tokens": {Size: 256},
	} {
		if got := chunkMark(c); got != want {
			t.Errorf("%v: got %q, want %q", c, got, want)
		}
	}
}

func FuzzChunksLoseNothing(f *testing.F) {
	f.Add("A sentence. Another one! 3 more? yes.\nA paragraph", 4, false)
	f.Add("\u00a0\xff\x00ligature ﬁ 𝐴", 1, true)
	f.Fuzz(func(t *testing.T, text string, limit int, characters bool) {
		unit := datadir.Tokens
		if characters {
			unit = datadir.Characters
		}
		if limit < 4 || limit > 1000 {
			limit = 4 // one character can take three tokens
		}
		c := newChunker(datadir.Chunking{Size: limit, Unit: unit})
		chunks := c.pack(strings.Split(text, "\n"))
		for _, chunk := range chunks {
			if n := c.length(chunk); n > limit && len([]rune(chunk)) > 1 {
				t.Errorf("%q has a length of %d, more than %d", chunk, n, limit)
			}
		}
		// Words may be split and spaces removed, but characters remain.
		bare := func(s string) string { return strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), "") }
		if strings.ToValidUTF8(text, "") != text {
			return
		}
		if diff := cmp.Diff(bare(text), bare(strings.Join(chunks, ""))); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}
