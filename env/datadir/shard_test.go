package datadir_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"airqa/env/datadir"
	"airqa/qa"
)

func TestTakeShard(t *testing.T) {
	tests := []struct {
		name        string
		info        datadir.Info
		shard, want string // want is part of the error
	}{
		{"new", datadir.Info{}, "3/16", ""},
		{"new, all papers", datadir.Info{}, "", ""},
		{"again", datadir.Info{Shard: "3/16", Papers: 4}, "3/16", ""},
		{"another number of shards", datadir.Info{Shard: "3/16", Papers: 4}, "3/8", "is shard 3/16, not 3/8"},
		{"another number, before the first paper", datadir.Info{Shard: "3/16"}, "3/8", "is shard 3/16, not 3/8"},
		{"another shard", datadir.Info{Shard: "3/16"}, "4/16", "is shard 3/16, not 4/16"},
		{"all papers into a shard", datadir.Info{Shard: "3/16"}, "", "is shard 3/16 of a corpus"},
		{"a shard into all papers", datadir.Info{Papers: 1}, "3/16", "not of shard 3/16 alone"},
		{"a shard into an interrupted ingest", datadir.Info{Chunks: &datadir.Chunking{Size: 512, Unit: datadir.Tokens}}, "3/16", "use a new folder"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data")
			d, err := datadir.Create(path)
			if err == nil {
				err = d.WriteInfo(tt.info)
			}
			if err != nil {
				t.Fatal(err)
			}
			err = d.TakeShard(tt.shard)
			info, infoErr := d.Info()
			if infoErr != nil {
				t.Fatal(infoErr)
			}
			var use *qa.UsageError
			switch {
			case tt.want == "" && (err != nil || info.Shard != tt.shard):
				t.Errorf("shard %q: %v", info.Shard, err)
			case tt.want != "" && (!errors.As(err, &use) || !strings.Contains(err.Error(), tt.want) || info.Shard != tt.info.Shard):
				t.Errorf("shard %q: %v, want %q", info.Shard, err, tt.want)
			}
		})
	}
	if err := datadir.CheckShard(filepath.Join(t.TempDir(), "none"), "1/2"); err != nil {
		t.Errorf("no directory: %v", err)
	}
}
