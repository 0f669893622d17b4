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

var (
	// fieldLabel matches a label at the start of a line: "[Question]:", "**Question**:", "question:".
	fieldLabel = lazyregexp.New(`(?m)^[ \t]*(?:[#>*_-]+[ \t]*)?[*_]*\[?([A-Za-z][A-Za-z _]*?)\]?[*_]*[ \t]*:[*_]*[ \t]*`)
	// fencedBlock matches a block between two lines of backticks.
	fencedBlock = lazyregexp.New("(?ms)^```[^`\n]*\n(.*?)^```[ \t]*$")
)

// Form is the form of the replies that a prompt asks for. Its template shows it: the first fenced block without a placeholder.
type Form struct {
	// fields are the names of the fields in the order of their labels in the block, labels the labels as it writes them: "Answer
	// Format" for answer_format. Without labels, the whole block is the question.
	fields []string
	labels map[string]string
}

// Forms are the forms of the replies to explorer and tracker.
type Forms struct{ explore, retrieval, track Form }

// ReadForms reads the forms in the templates. The error names a template without the form, or without a label that a stage needs.
func ReadForms(set prompts.Set) (f Forms, err error) {
	if f.explore, err = readForm(set, "synth_explore", "question", "answer"); err != nil {
		return f, err
	}
	if f.retrieval, err = readForm(set, "synth_retrieval", "question"); err != nil {
		return f, err
	}
	f.track, err = readForm(set, "synth_track", "question", "evaluator", "answer_format", "answer")
	return f, err
}

// AskEvidence reports whether the explorer copies the words that prove an answer.
func (f Forms) AskEvidence() bool { return f.explore.labels["evidence"] != "" }

// readForm reads the form in a template, which must have the needed fields.
func readForm(set prompts.Set, prompt string, needed ...string) (f Form, err error) {
	source, err := set.Source(prompt)
	if err != nil {
		return f, err
	}
	for _, m := range fencedBlock.FindAllStringSubmatch(source, -1) {
		if block, fault := prompts.Of(map[string]string{prompt: m[1]}).Render(prompt, nil); fault == nil { // it has no placeholder
			f = formOf(block)
			isQuestion := len(f.fields) == 0 && len(needed) == 1
			if i := slices.IndexFunc(needed, func(name string) bool { return f.labels[name] == "" }); i >= 0 && !isQuestion {
				err = qa.Usagef("prompt %s: the form of the reply has no label [%s]; it needs [%s]", prompt, needed[i], strings.Join(needed, "], ["))
			}
			return f, err
		}
	}
	return f, qa.Usagef("prompt %s: it does not show the form of the reply: a block without placeholders between two lines of three backticks", prompt)
}

// formOf reads the labels of a block: those in square brackets if there are any.
func formOf(block string) Form {
	f := Form{labels: make(map[string]string)}
	all := fieldLabel.FindAllStringSubmatch(block, -1)
	inBrackets := func(m []string) bool { return strings.Contains(m[0], "[") }
	for _, m := range all {
		name := fieldName(m[1])
		if f.labels[name] == "" && (inBrackets(m) || !slices.ContainsFunc(all, inBrackets)) {
			f.fields = append(f.fields, name)
			f.labels[name] = m[1]
		}
	}
	return f
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
	if len(f.fields) == 0 && strings.Contains(action.Visible(text), "```") && block != "" {
		fields["question"] = block
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
	for _, name := range f.fields {
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
