package curate

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"airqa/internal/files"
)

// IDs is a list of rows to export, such as ids.txt of an earlier export. A nil list has every row.
type IDs struct{ used map[string]bool }

// ReadIDs reads one id per line and ignores blank lines. An id names a row, an episode ("uuid#repeat") or a question.
func ReadIDs(r io.Reader) (*IDs, error) {
	ids := &IDs{make(map[string]bool)}
	lines := bufio.NewScanner(files.TextReader(r))
	for lines.Scan() {
		if id := strings.TrimSpace(lines.Text()); id != "" {
			ids.used[id] = false
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read ids: %w", err)
	}
	return ids, nil
}

// Has reports whether any of the names of a row is in the list.
func (ids *IDs) Has(names ...string) bool {
	if ids == nil {
		return true
	}
	found := false
	for _, name := range names {
		if _, listed := ids.used[name]; listed {
			ids.used[name], found = true, true
		}
	}
	return found
}

// Missing returns the ids that no call of Has named, sorted.
func (ids *IDs) Missing() []string {
	var missing []string
	for _, id := range slices.Sorted(maps.Keys(ids.used)) {
		if !ids.used[id] {
			missing = append(missing, id)
		}
	}
	return missing
}
