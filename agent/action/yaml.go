package action

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
)

// yamlEnd returns the end of the mapping at byte i, which has no end marker: lines belong to it while they are indented more than
// its keys, or are a key of an action or a closing bracket. A fence, or a label after a complete value, ends it within a line.
func yamlEnd(reply string, i int, marks []mark) int {
	start := strings.LastIndexByte(reply[:i], '\n') + 1
	base := pass(reply, start, " \t>") - start
	end := min(lineEnd(reply, i)+1, len(reply))
	for end < len(reply) && yamlLine(reply[end:lineEnd(reply, end)], base) {
		end = min(lineEnd(reply, end)+1, len(reply))
	}
	for _, m := range marks[firstFrom(marks, i):] {
		value := strings.TrimRight(reply[i:max(i, min(m.start, end))], " \t")
		if m.start < end && m.isLabel() && !m.line && value != "" && strings.Contains("}]\"'", value[len(value)-1:]) {
			return m.start
		}
	}
	if text := strings.TrimRight(reply[i:end], " \t\r\n"); strings.HasSuffix(text, fence) {
		return i + len(text) - len(fence)
	}
	return end
}

// yamlLine reports whether a line belongs to a mapping whose keys are indented by base.
func yamlLine(line string, base int) bool {
	text := strings.TrimLeft(line, " \t\r")
	return text == "" || len(line)-len(text) > base || yamlKey(text) || strings.IndexByte("}]", text[0]) >= 0
}

// readYAML reads everything up to limit, which is that of [yamlEnd].
func (g Grammar) readYAML(reply string, i, limit int, o python.Options) (python.Call, error) {
	text := reply[i:limit]
	end := i + len(strings.TrimRight(text, " \t\r\n"))
	if start := strings.LastIndexByte(reply[:i], '\n') + 1; strings.TrimLeft(reply[start:i], " ") == "" {
		text = reply[start:i] + text // the keys are indented
	}
	if o.LaTeX || o.KeepControls {
		text = doubleBackslashes(text, o)
	}
	var document yaml.Node
	err := yaml.Unmarshal([]byte(text), &document)
	var v python.Value
	if err == nil {
		v, err = fromYAML(&document)
	}
	if err != nil {
		return python.Call{End: end}, invalid(i, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return g.fromDict(v, i, end)
}

// opensScalar matches the text before a quotation mark that opens a scalar: a key or a separator.
var opensScalar = lazyregexp.New(`[ ,\[{]$|: *$`)

// doubleBackslashes escapes the backslashes in double quotes that the options keep, and those of unknown escapes.
func doubleBackslashes(text string, o python.Options) string {
	escapes := "0abvfetnr \"/\\N_LPxuU\n\r"
	if o.KeepControls {
		escapes = strings.TrimPrefix(escapes, "0abvfe")
	}
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' && (quoted || opensScalar.MatchString(text[max(0, i-3):i])):
			quoted = !quoted
		case c == '\\' && quoted && i+1 < len(text):
			if o.LaTeX && python.LaTeXCommand(text[i:]) > 0 || strings.IndexByte(escapes, text[i+1]) < 0 {
				b.WriteByte('\\')
				break
			}
			b.WriteByte(c)
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// fromYAML converts a node to the value of a call. Decoding to maps would compare each key with all others.
func fromYAML(n *yaml.Node) (python.Value, error) {
	switch n.Kind {
	case yaml.DocumentNode:
		return fromYAML(n.Content[0])
	case yaml.MappingNode:
		d := &python.Dict{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if _, twice := d.Get(key.Value); twice { // one of the values would be lost
				return nil, fmt.Errorf("line %d: the key %q occurs twice", key.Line, key.Value)
			}
			v, err := fromYAML(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			d.Set(key.Value, v)
		}
		return d, nil
	case yaml.SequenceNode:
		list := make(python.List, len(n.Content))
		for i, item := range n.Content {
			var err error
			if list[i], err = fromYAML(item); err != nil {
				return nil, err
			}
		}
		return list, nil
	case yaml.ScalarNode:
		return scalar(n)
	}
	return nil, errors.New("aliases are not supported")
}

// scalar converts a single value. A missing value and an empty block are errors: the model left something out.
func scalar(n *yaml.Node) (python.Value, error) {
	if n.Value == "" && n.Style == 0 {
		return nil, fmt.Errorf("line %d: a value is missing", n.Line)
	}
	block := n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
	if block && strings.TrimSpace(n.Value) == "" {
		return nil, fmt.Errorf("line %d: the block is empty", n.Line)
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return nil, err
	}
	switch x := v.(type) {
	case int:
		return int64(x), nil
	case nil, bool, int64, float64, string:
		return x, nil
	}
	return n.Value, nil // dates and numbers beyond 64 bits
}
