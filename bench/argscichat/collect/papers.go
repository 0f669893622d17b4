package collect

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"airqa/internal/files"
	"airqa/internal/words"
	"airqa/qa"
)

// Paper is what the expert reads: the sentences of abstract and introduction.
type Paper struct {
	Title   string   `json:"title"`
	Content []string `json:"content"`
	// Abstract is the number of sentences of the abstract, with which Content begins; 0 is not known.
	Abstract int `json:"abstract,omitempty"`
}

// passage is a text, or its sentences.
type passage []string

func (p *passage) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*p = sentences(text)
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(p))
}

// sentences splits a text as the benchmark counts sentences, whatever its line breaks.
func sentences(text string) []string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return nil
	}
	return words.Sentences(text)
}

// source is a paper as a file has it: content in files of the benchmark, otherwise abstract and introduction.
type source struct {
	Title        string   `json:"title"`
	Content      []string `json:"content"`
	Boundary     int      `json:"abstract_sentences"`
	Abstract     passage  `json:"abstract"`
	Introduction passage  `json:"introduction"`
}

// ReadPapers reads papers by their titles: a JSON or CSV file, or a folder of them. In a folder with files of the
// benchmark's folds, these are read alone.
func ReadPapers(path string) (map[string]*Paper, error) {
	files := []string{path}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read papers: %w", err)
	}
	if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "fold_*.json")); err == nil && len(files) == 0 {
			texts, _ := filepath.Glob(filepath.Join(path, "*.json")) // a bad pattern is an error above
			tables, _ := filepath.Glob(filepath.Join(path, "*.csv"))
			files = slices.Concat(texts, tables)
		}
	}
	papers := make(map[string]*Paper)
	for _, file := range files {
		if err == nil {
			err = addFile(papers, file)
		}
	}
	if err == nil && len(papers) == 0 {
		err = fmt.Errorf("%s has no papers", path)
	}
	if err != nil {
		return nil, fmt.Errorf("read papers: %w", err)
	}
	return papers, nil
}

func addFile(papers map[string]*Paper, file string) error {
	raw, err := files.ReadText(file)
	if err != nil {
		return err
	}
	parse := fromJSON
	if strings.EqualFold(filepath.Ext(file), ".csv") {
		parse = fromCSV
	}
	sources, err := parse(raw)
	for _, s := range sources {
		if err == nil {
			err = add(papers, s)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func add(papers map[string]*Paper, s source) error {
	p := &Paper{Title: strings.Join(strings.Fields(s.Title), " "), Content: s.Content, Abstract: s.Boundary}
	if len(p.Content) == 0 {
		p.Content, p.Abstract = slices.Concat(s.Abstract, s.Introduction), len(s.Abstract)
	}
	switch known := papers[p.Title]; {
	case p.Title == "":
		return errors.New("a paper has no title")
	case len(p.Content) == 0:
		return fmt.Errorf("paper %q has no abstract and no introduction", p.Title)
	case p.Abstract < 0 || p.Abstract > len(p.Content):
		return fmt.Errorf("paper %q: abstract_sentences is %d, but content has %d sentences", p.Title, p.Abstract, len(p.Content))
	case known != nil && !slices.Equal(known.Content, p.Content):
		return fmt.Errorf("paper %q differs from one with the same title", p.Title)
	}
	papers[p.Title] = p
	return nil
}

// fromJSON reads a paper, a list of papers, or an object of papers by title.
func fromJSON(raw []byte) ([]source, error) {
	var many []source
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		return many, json.Unmarshal(raw, &many)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	if title := fields["title"]; len(title) > 0 && title[0] == '"' {
		fields = map[string]json.RawMessage{"": raw}
	}
	for title, value := range fields {
		s := source{Title: title}
		if err := json.Unmarshal(value, &s); err != nil {
			return nil, fmt.Errorf("paper %q: %w", title, err)
		}
		many = append(many, s)
	}
	return many, nil
}

// fromCSV reads the columns title, abstract and introduction, in any case; others are ignored.
func fromCSV(raw []byte) ([]source, error) {
	records, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil || len(records) == 0 {
		return nil, err
	}
	var places []int
	for _, name := range []string{"title", "abstract", "introduction"} {
		i := slices.IndexFunc(records[0], func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), name) })
		if i < 0 {
			return nil, fmt.Errorf("missing column %q", name)
		}
		places = append(places, i)
	}
	return qa.Map(records[1:], func(r []string) source {
		return source{Title: r[places[0]], Abstract: sentences(r[places[1]]), Introduction: sentences(r[places[2]])}
	}), nil
}
