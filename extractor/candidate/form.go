package candidate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/agent/action"
	"airqa/internal/lazyregexp"
	"airqa/prompts"
	"airqa/qa"
)

// FormVersion is the version of the rules of [Form.Read]. It changes when a reply is read differently, so that kept replies are
// read again.
const FormVersion = 2

// Fields of replies, by the names of their labels.
const (
	questionField  = "question"
	answerField    = "answer"
	evidenceField  = "evidence"
	evaluatorField = "evaluator"
	formatField    = "answer_format"
	tagField       = "tag"
)

var (
	// fieldLabel matches a label at the start of a line: "[Question]:", "**Question**:", "question:".
	fieldLabel = lazyregexp.New(`(?m)^[ \t]*(?:[#>*_-]+[ \t]*)?[*_]*\[?([A-Za-z][A-Za-z _]*?)\]?[*_]*[ \t]*:[*_]*[ \t]*`)
	// fencedBlock matches a block between two lines of backticks.
	fencedBlock = lazyregexp.New("(?ms)^```[^`\n]*\n(.*?)^```[ \t]*$")
)

// Form is the form of the replies that a prompt asks for. Its template shows it: the first fenced block without a placeholder.
type Form struct {
	// labels are the labels in the block as it has them, such as "Answer Format", by the names of their fields. Without labels, the
	// whole block is the question.
	labels map[string]string
	// required are the fields of the labels that a stage reads, in the order of the block. The other labels only end a field.
	required []string
}

// Forms are the forms of the replies to explorer and tracker.
type Forms struct{ explore, retrieval, track Form }

// ReadForms reads the forms in the templates. The error names a template without the form, or without a label that a stage needs.
func ReadForms(set prompts.Set) (f Forms, err error) {
	for _, of := range []struct {
		form             *Form
		prompt           string
		needed, optional []string
	}{
		{&f.explore, explorePrompt, []string{questionField, answerField}, []string{evidenceField}},
		{&f.retrieval, retrievalPrompt, []string{questionField}, nil},
		{&f.track, trackPrompt, []string{questionField, evaluatorField, formatField, answerField}, []string{tagField}},
	} {
		if *of.form, err = readForm(set, of.prompt, of.needed, of.optional); err != nil {
			return f, &qa.UsageError{Err: fmt.Errorf("prompt %s: %w", of.prompt, err)}
		}
	}
	return f, nil
}

// AskEvidence reports whether the explorer copies the words that prove an answer.
func (f Forms) AskEvidence() bool { return f.explore.labels[evidenceField] != "" }

// readForm reads the form in a template.
func readForm(set prompts.Set, prompt string, needed, optional []string) (Form, error) {
	const value = "\x00" // in place of every placeholder
	text, err := set.Render(prompt, prompts.Data{
		"task": value, "hints": value, "context": value, "title": value, "abstract": value,
		"functions": value, "question": value, "answer": value,
	})
	if err != nil {
		return Form{}, err
	}
	for _, m := range fencedBlock.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(m[0], value) {
			return newForm(m[1], needed, optional)
		}
	}
	return Form{}, errors.New("it does not show the form of the reply: a block without placeholders between two lines of three backticks")
}

// newForm reads the labels of a block: those of fields, and others in square brackets.
func newForm(block string, needed, optional []string) (Form, error) {
	f := Form{labels: make(map[string]string)}
	for _, m := range fieldLabel.FindAllStringSubmatch(block, -1) {
		name := fieldName(m[1])
		isField := slices.Contains(needed, name) || slices.Contains(optional, name)
		if isField && f.labels[name] == "" {
			f.required = append(f.required, name)
		}
		if isField || strings.Contains(m[0], "[") {
			f.labels[name] = m[1]
		}
	}
	if len(f.labels) == 0 && len(needed) == 1 {
		return f, nil
	}
	for _, name := range needed {
		if f.labels[name] == "" {
			return f, fmt.Errorf("the form of the reply has no label [%s]; it needs [%s]", name, strings.Join(needed, "], ["))
		}
	}
	return f, nil
}

// Read reads the labelled fields of a reply, such as "[Question]: …", in its last fenced block, or in the whole reply if it has no
// block. Case and emphasis of the labels do not matter. A field that is missing, empty or given twice is an error.
func (f Form) Read(text string) (map[string]string, error) {
	block := action.LastBlock(text)
	var starts [][]int
	for _, m := range fieldLabel.FindAllStringSubmatchIndex(block, -1) {
		if f.labels[fieldName(block[m[2]:m[3]])] != "" {
			starts = append(starts, m)
		}
	}
	fields := make(map[string]string)
	if len(f.labels) == 0 && strings.Contains(action.Visible(text), "```") && block != "" {
		fields[questionField] = block
	} else if len(starts) == 0 {
		return nil, errors.New("there is no block with the result between two lines of three backticks")
	}
	for i, m := range starts {
		name, end := fieldName(block[m[2]:m[3]]), len(block)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("the field [%s] occurs twice", f.labels[name])
		}
		fields[name] = strings.TrimSpace(block[m[1]:end])
	}
	for _, name := range f.required {
		if fields[name] == "" {
			return nil, fmt.Errorf("the field [%s] is missing or empty", f.labels[name])
		}
	}
	return fields, nil
}

// OneLine returns a text with single spaces, as questions and answer formats are stored.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// fieldName writes a label like the names of the fields: "Answer Format" is "answer_format".
func fieldName(label string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(label), func(r rune) bool { return r == ' ' || r == '_' }), "_")
}
