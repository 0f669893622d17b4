package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"airqa/qa"
)

// Append adds an example to a JSON Lines file, which is created if it does not exist, and returns the number of examples in it. It
// refuses a file in another form and an example that the file has already. On an error the file is as before.
func Append(path string, ex qa.Example) (n int, err error) {
	if n, err = appendable(path, ex.UUID); err != nil {
		return 0, err
	}
	line, err := Lines([]qa.Example{ex})
	if err != nil {
		return 0, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644) //nolint:gosec // questions are for everyone
	if err != nil {
		return 0, fmt.Errorf("append to %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, fmt.Errorf("append to %s: %w", path, err)
	}
	if last := make([]byte, 1); size > 0 {
		if _, err := file.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	if _, err := file.Write(line); err != nil {
		return 0, errors.Join(fmt.Errorf("append to %s: %w", path, err), file.Truncate(size))
	}
	return n + 1, nil
}

// appendable counts the examples of a file to which one can be added.
func appendable(path, uuid string) (n int, err error) {
	first, err := firstLine(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("append to %s: %w", path, err)
	}
	if len(first) > 0 && (first[0] != '{' || !bytes.HasSuffix(first, []byte("}"))) {
		return 0, qa.Usagef("%s is not JSON Lines; airqa questions convert %s makes such a file", path, path)
	}
	for block, err := range LineBlocks("questions", path) {
		if err != nil {
			return 0, err
		}
		for line, raw := range block.Records() {
			ex, _, ok := Decode(raw)
			if ok && ex.UUID == uuid {
				return 0, qa.Usagef("%s:%d already contains this question; give the new one another uuid", path, line)
			}
			n++
		}
	}
	return n, nil
}
