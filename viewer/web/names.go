package web

import (
	"path/filepath"
	"strings"

	"airqa/trace"
)

// Names are the names of the runs in addresses: the folder of each, or its whole path if several runs have that folder.
func Names(l *trace.Library) map[*trace.Run]string {
	names := make(map[*trace.Run]string)
	count := make(map[string]int)
	base := func(r *trace.Run) string {
		path, err := filepath.Abs(r.Name)
		if err != nil {
			return r.Name
		}
		return filepath.Base(path)
	}
	for _, r := range l.Runs {
		count[base(r)]++
	}
	for _, r := range l.Runs {
		name := base(r)
		if count[name] > 1 || strings.Trim(name, "./") == "" {
			name = r.Name
		}
		names[r] = name
	}
	return names
}
