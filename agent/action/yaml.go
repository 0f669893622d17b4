package action

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
)

// blockScalar matches the end of a line that opens a block of text.
var blockScalar = lazyregexp.New(`[:-][ \t]+[|>][+\-0-9]{0,2}[ \t]*(?:#.*)?\r?$`)

// yamlEnd returns the end of the mapping at byte i. It ends at a label, a tag or a fence that is not indented more than
// its keys, since a mapping has no end marker. Lines of a block scalar end by indentation alone.
func yamlEnd(reply string, i int, marks []mark) int {
	start := strings.LastIndexByte(reply[:i], '\n') + 1
	base := pass(reply, start, " \t>") - start
	scalar := -1 // indentation of the key of the current block
	for at := i; at < len(reply); {
		end := lineEnd(reply, at)
		indent := pass(reply, at, " \t") - at
		if at == i {
			indent = base
		}
		marks = marks[firstFrom(marks, at):]
		if text := reply[at:end]; strings.TrimSpace(text) != "" && (scalar < 0 || indent <= scalar) {
			scalar = -1
			if at > i && indent <= base && ends(reply, at, marks) {
				return at
			}
			if cut := cutLine(reply, at, end, marks); cut >= 0 {
				return cut
			}
			if blockScalar.MatchString(text) {
				scalar = indent
			}
		}
		at = end + 1
	}
	return len(reply)
}

// ends reports whether a mark or a fence begins the line at byte i.
func ends(reply string, i int, marks []mark) bool {
	body := reply[pass(reply, i, " \t"):]
	return len(marks) > 0 && marks[0].start == i && marks[0].line || strings.HasPrefix(body, fence) || strings.HasPrefix(body, "~~~")
}

// cutLine returns where a mapping ends within a line: before the end of its fence, or before a label after a complete
// value. It returns -1 if it does not.
func cutLine(reply string, at, end int, marks []mark) int {
	for _, m := range marks {
		if m.start >= end {
			break
		}
		value := strings.TrimSpace(reply[at:max(at, m.start)])
		if value == "" || !m.isLabel() {
			continue
		}
		quote := value[len(value)-1:]
		if strings.Contains("}]", quote) || strings.Contains("\"'", quote) && strings.Count(value, quote)%2 == 0 {
			return m.start
		}
		break
	}
	text := reply[at:end]
	if n := strings.Index(text, fence); n > 0 && strings.TrimSpace(text[:n]) != "" && strings.TrimSpace(text[n+len(fence):]) == "" {
		return at + n
	}
	return -1
}

// readYAML reads everything up to limit, which is that of [yamlEnd].
func readYAML(reply string, i, limit int, latex bool) (written, *python.Error) {
	text := reply[i:limit]
	end := i + len(strings.TrimRight(text, " \t\r\n"))
	if start := strings.LastIndexByte(reply[:i], '\n') + 1; strings.TrimLeft(reply[start:i], " ") == "" {
		text = reply[start:i] + text // the keys are indented
	}
	if latex {
		text = doubleBackslashes(text)
	}
	var document yaml.Node
	err := yaml.Unmarshal([]byte(text), &document)
	var v python.Value
	if err == nil {
		v, err = fromYAML(&document)
	}
	if err != nil {
		return written{end: end}, syntax(i, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	w, fault := fromDict(v, i)
	w.end = end
	return w, fault
}

// doubleBackslashes escapes the backslashes of LaTeX in double quotes.
func doubleBackslashes(text string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' && (quoted || opensQuoted(text, i)):
			quoted = !quoted
		case c == '\\' && quoted && i+1 < len(text):
			if python.LaTeXCommand(text[i:]) > 0 || strings.IndexByte("0abtnvfre \"/\\N_LPxuU\n\r", text[i+1]) < 0 {
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

// opensQuoted reports whether a quotation mark at byte i may open a scalar: a key or a separator is before it.
func opensQuoted(text string, i int) bool {
	afterKey := strings.HasSuffix(strings.TrimRight(text[max(0, i-3):i], " "), ":")
	return afterKey || i > 0 && strings.IndexByte(" ,[{", text[i-1]) >= 0
}

// fromYAML converts a node to the value of a call. Decoding to maps would compare each key with all others.
func fromYAML(n *yaml.Node) (python.Value, error) {
	switch n.Kind {
	case yaml.DocumentNode:
		return fromYAML(n.Content[0])
	case yaml.MappingNode:
		return mapping(n)
	case yaml.SequenceNode:
		return sequence(n)
	case yaml.ScalarNode:
		return scalar(n)
	}
	return nil, errors.New("aliases are not supported")
}

// mapping converts a mapping, whose content alternates between keys and values. A key that occurs twice is an error,
// because one of the values would be lost.
func mapping(n *yaml.Node) (python.Value, error) {
	d := &python.Dict{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if _, twice := d.Get(key.Value); twice {
			return nil, fmt.Errorf("line %d: the key %q occurs twice", key.Line, key.Value)
		}
		v, err := fromYAML(n.Content[i+1])
		if err != nil {
			return nil, err
		}
		d.Set(key.Value, v)
	}
	return d, nil
}

func sequence(n *yaml.Node) (python.Value, error) {
	list := make(python.List, len(n.Content))
	for i, item := range n.Content {
		var err error
		if list[i], err = fromYAML(item); err != nil {
			return nil, err
		}
	}
	return list, nil
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
