package prompts

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"airqa/internal/files"
	"airqa/internal/fuzzy"
	"airqa/qa"
)

// Open reads the texts in a folder that replace built-in ones: files with the names that [All] lists, and ".txt". Hidden files
// and a README are left out; an empty path is the built-in texts. An unknown file, an unknown placeholder and a missing
// one are a [qa.UsageError] with the file and the line.
func Open(dir string) (Set, error) {
	if dir == "" {
		return Set{}, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Set{}, qa.Usagef("prompts: %w", err)
	}
	s, found := Set{own: make(map[string]string)}, false
	var faults []error
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "README") {
			continue
		}
		found = true
		path := filepath.Join(dir, e.Name())
		p, err := named(path, e)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		raw, err := files.ReadText(path)
		if err != nil {
			return s, qa.Usagef("prompts: %w", err)
		}
		text := strings.ReplaceAll(string(raw), "\r\n", "\n")
		faults = append(faults, p.check(path, text)...)
		if known, _ := (Set{}).Source(p.Name); p.Tool || text != known {
			s.own[p.Name] = text
		}
	}
	if !found {
		return s, qa.Usagef("%s has no prompts; airqa list prompts shows their names", dir)
	}
	if err := errors.Join(faults...); err != nil {
		return s, &qa.UsageError{Err: err}
	}
	return s, nil
}

// UnmarshalText reads a flag: the folder of [Open].
func (s *Set) UnmarshalText(dir []byte) (err error) {
	*s, err = Open(string(dir))
	return err
}

// named returns the prompt that a file replaces.
func named(path string, e os.DirEntry) (Prompt, error) {
	name, isText := strings.CutSuffix(e.Name(), ".txt")
	if p, ok := Find(name); ok && isText && !e.IsDir() {
		return p, nil
	}
	hint := ""
	if like := fuzzy.Nearest(name, qa.Map(All(), func(p Prompt) string { return p.Name })); like != "" {
		hint = "did you mean " + like + ".txt? "
	}
	return Prompt{}, fmt.Errorf("%s: no prompt has this name; %sairqa list prompts shows all", path, hint)
}

// check returns the faults of a text that replaces the prompt. In texts of tools and in examples, braces have no meaning.
func (p Prompt) check(path, text string) (faults []error) {
	if p.Tool || p.Name == examples {
		return nil
	}
	allowed := "it has no placeholders"
	if len(p.Placeholders) > 0 {
		allowed = "its placeholders are {" + strings.Join(p.Placeholders, "}, {") + "}"
	}
	var used []string
	for _, at := range placeholder.FindAllStringIndex(text, -1) {
		name := nameOf(text[at[0]:at[1]])
		if !slices.Contains(p.Placeholders, name) {
			faults = append(faults, fmt.Errorf("%s:%d: unknown placeholder {%s}; %s. Text in braces needs a space: { %[3]s }",
				path, 1+strings.Count(text[:at[0]], "\n"), name, allowed))
		}
		used = append(used, p.target(name))
	}
	for _, required := range p.Required {
		names := strings.Split(required, "|")
		if !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(used, name) }) {
			faults = append(faults, fmt.Errorf("%s: {%s} is missing, so the model would not see it", path, strings.Join(names, "} or {")))
		}
	}
	if _, user := cut(text); strings.HasPrefix(p.Name, judgePrefix) && strings.TrimSpace(user) == "" {
		faults = append(faults, fmt.Errorf("%s: there is no text for the user message", path))
	}
	return faults
}
