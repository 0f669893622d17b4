package dataset

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
)

// field is one key of an example.
type field struct {
	name string
	want string
	into any
	// An example with an invalid needed field is unusable. A missing expected field is reported; only the question has
	// no default.
	needed, expected bool
}

func fields(ex *qa.Example) []field {
	return []field{
		{"uuid", "a string", &ex.UUID, true, true},
		{"question", "a string", &ex.Question, true, true},
		{"answer_format", "a string", &ex.AnswerFormat, false, true},
		{"tags", "a list of strings", &ex.Tags, false, true},
		{"anchor_pdf", "a list of uuids", &ex.AnchorPDF, false, true},
		{"reference_pdf", "a list of uuids", &ex.ReferencePDF, false, true},
		{"conference", "a list of strings", &ex.Conference, false, true},
		{"reasoning_steps", "a list of strings", &ex.ReasoningSteps, false, false},
		{"state", "an object of true and false", &ex.State, false, false},
		{"annotator", "a string", &ex.Annotator, false, false},
		{"kind", "a string", &ex.Kind, false, false},
		{"history", "a list of messages", &ex.History, false, false},
		{"context", "a string", &ex.Context, false, false},
		{"pool", "a list of ids", &ex.Pool, false, false},
	}
}

// Decode reads one record. It returns its faults and reports whether it is usable.
func Decode(raw []byte) (ex qa.Example, faults []string, usable bool) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		fault := "the record has the wrong type"
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			fault = fmt.Sprintf("%v (byte %d of the line)", err, syntax.Offset)
		}
		return ex, []string{"not a JSON object: " + fault}, false
	}
	missing, faults, usable := readFields(keys, fields(&ex))
	if raw := keys["evaluator"]; len(raw) > 0 && string(raw) != "null" {
		if text := decodeEvaluator(raw, &ex.Evaluator); text != "" {
			faults, usable = append(faults, text), false
		}
	} else if ex.Kind == "" { // airqa bench scores the others
		missing = append(missing, "evaluator (its answers stay unscored)")
	}
	delete(keys, "evaluator")
	if len(keys) > 0 {
		ex.Extra = keys
	}
	if len(missing) == 0 {
		return ex, faults, usable
	}
	hasQuestion := !slices.Contains(missing, "question")
	if hasQuestion && slices.Contains(missing, "uuid") {
		ex.UUID = qa.QuestionUUID(ex.Question)
	}
	return ex, append(faults, "missing "+strings.Join(missing, ", ")), usable && hasQuestion
}

// readFields reads the existing fields. It returns the names of missing expected fields, the faults of the others, and
// whether the example is still usable.
func readFields(keys map[string]json.RawMessage, all []field) (missing, faults []string, usable bool) {
	usable = true
	for _, f := range all {
		if _, ok := keys[f.name]; !ok {
			if f.expected {
				missing = append(missing, f.name)
			}
			continue
		}
		if text := f.read(keys); text != "" {
			faults = append(faults, text)
			usable = usable && !f.needed
		}
	}
	return missing, faults, usable
}

// read decodes an existing field and removes it from keys; it returns the fault, if any.
func (f field) read(keys map[string]json.RawMessage) string {
	raw := keys[f.name]
	delete(keys, f.name)
	if err := json.Unmarshal(raw, f.into); err != nil {
		return fmt.Sprintf("field %q must be %s, not %s", f.name, f.want, short(raw))
	}
	if s, ok := f.into.(*string); ok && f.needed && *s == "" {
		return fmt.Sprintf("field %q is empty", f.name)
	}
	return ""
}

func decodeEvaluator(raw json.RawMessage, into *qa.Evaluator) string {
	if err := json.Unmarshal(raw, into); err != nil {
		return `field "evaluator" must be an object with "eval_func" and "eval_kwargs", not ` + short(raw)
	}
	if into.Func == "" {
		return `field "evaluator" has no "eval_func"`
	}
	var kwargs map[string]json.RawMessage
	if into.Kwargs == nil || json.Unmarshal(into.Kwargs, &kwargs) != nil {
		return `"eval_kwargs" of the evaluator must be an object, not ` + short(into.Kwargs)
	}
	return ""
}

// FieldError describes an error of encoding/json about a record in words: the field, its kind and the one that it should
// have.
func FieldError(err error) error {
	var e *json.UnmarshalTypeError
	if !errors.As(err, &e) {
		return err
	}
	kinds := map[string]string{"string": "a string", "number": "a number", "bool": "true or false", "array": "a list", "object": "an object"}
	kind, ok := kinds[e.Value]
	if !ok {
		kind = "a " + e.Value // such as "number 3.5"
	}
	return fmt.Errorf("%s is %s, not %s", cmp.Or(e.Field, "it"), kind, TypeName(e.Type))
}

// TypeName names the JSON values of a type, such as "a list".
func TypeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}

func short(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "nothing"
	}
	return terminal.Truncate(string(raw), 40, "…")
}

// Lines encodes examples as JSON Lines with a fixed order of keys, extra keys last, sorted by name. Run directories
// store this form and its hash.
func Lines(list []qa.Example) ([]byte, error) {
	var out []byte
	for _, ex := range list {
		line, err := encode(ex)
		if err != nil {
			return nil, fmt.Errorf("encode example %s: %w", ex.UUID, err)
		}
		out = append(append(out, line...), '\n')
	}
	return out, nil
}

func encode(ex qa.Example) ([]byte, error) {
	extra := ex.Extra
	ex.Extra = nil
	line, err := json.Marshal(ex)
	if err != nil || len(extra) == 0 {
		return line, err
	}
	line = line[:len(line)-1]
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		line = append(line, ',')
		line = append(append(append(line, key...), ':'), extra[name]...)
	}
	return append(line, '}'), nil
}
