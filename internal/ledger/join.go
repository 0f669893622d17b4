package ledger

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Join appends the lines of the ledger at from to the exclusive ledger at to, which it creates if needed, and returns their
// number. The key of a line is its field key, a string. Lines with a key that to has are left out, as is an unfinished last
// line. The lines have format 1. A missing ledger has none.
func Join(to, from, key string) (n int, err error) {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	entry := func(line []byte, _ Span) (string, struct{}, error) {
		name, err := stringField(line, key)
		return name, struct{}{}, err
	}
	out, err := Open(to, Config[string, struct{}]{Entry: entry, Exclusive: true})
	if err != nil {
		return 0, fmt.Errorf("open %s: %w", to, err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	for line, err := range Lines(bufio.NewReader(in)) {
		name, bad := stringField(line, key)
		if err = cmp.Or(err, bad); err != nil {
			return n, fmt.Errorf("read %s: %w", from, err)
		}
		if _, have := out.Get(name); have {
			continue
		}
		if err := out.Add(line); err != nil {
			return n, fmt.Errorf("write %s: %w", filepath.Base(to), err)
		}
		n++
	}
	return n, nil
}

func stringField(line []byte, name string) (string, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return "", err
	}
	value := ""
	if string(fields["format"]) != "1" {
		return "", fmt.Errorf("format %s; this program reads format 1", fields["format"])
	}
	err := json.Unmarshal(fields[name], &value)
	return value, err
}
