package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"airqa/internal/concurrent"
	"airqa/internal/files"
)

// Select returns the files whose key take accepts, in their order. The key of a file depends on its content alone: its size and
// its first 64 KiB. A file that cannot be read has its name as its key, so that one shard reports it.
func Select(ctx context.Context, paths []string, take func(key string) bool) ([]string, error) {
	const keysAtOnce = 16 // most of the time is spent waiting for a disk
	all := func(yield func(string, error) bool) {
		for _, path := range paths {
			if !yield(path, nil) {
				return
			}
		}
	}
	var mine []string
	taken := concurrent.MapWithin(ctx, keysAtOnce, all, func(_ context.Context, path string) string {
		key, err := readKey(path)
		if err != nil {
			key = filepath.Base(path)
		}
		if take(key) {
			return path
		}
		return ""
	})
	for path, err := range taken {
		if err != nil {
			return nil, fmt.Errorf("divide %d files: %w", len(paths), err)
		}
		if path != "" {
			mine = append(mine, path)
		}
	}
	return mine, nil
}

func readKey(path string) (key string, err error) {
	const keyBytes = 64 << 10 // every shard reads so much of each file
	file, size, err := files.OpenRegular(nil, path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	head, err := io.ReadAll(io.LimitReader(file, keyBytes))
	return files.Hash(fmt.Appendf(head, " %d", size)), err
}
