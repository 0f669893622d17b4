// Package evidence reads the results of tools from the text that a model saw. Start from [Cells].
package evidence

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Cell is a value of a row.
type Cell struct {
	Name string
	// Raw is the value as shown, JSON at byte At of its line. Text is the text of a string, otherwise Raw.
	Raw, Text string
	At        int
}

// Cells returns the cells of a row, a line with a JSON object, in order; a name may occur twice. It reports false for any
// other line.
func Cells(line string) (list []Cell, ok bool) {
	in := json.NewDecoder(strings.NewReader(line))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for in.More() {
		name, err := in.Token()
		var raw json.RawMessage
		if err != nil || in.Decode(&raw) != nil {
			return nil, false
		}
		c := Cell{fmt.Sprint(name), string(raw), string(raw), int(in.InputOffset()) - len(raw)}
		if raw[0] == '"' {
			_ = json.Unmarshal(raw, &c.Text) // it was decoded before
		}
		list = append(list, c)
	}
	_, err := in.Token()
	return list, err == nil
}
