package author

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"airqa/internal/exit"
	"airqa/internal/python"
	"airqa/qa"
)

// noContext is the context of scoring that asks no endpoint.
var noContext = context.Background()

// rule is how answers of a kind are scored.
type rule struct {
	function string
	kwargs   map[string]any // python.Value for golds
	format   string
	notes    []string
}

// evaluator encodes the rule. Golds are written as Python's json does, so that 3 and 3.0 differ.
func (r rule) evaluator() (qa.Evaluator, error) {
	raw, err := encode(r.kwargs)
	return qa.Evaluator{Func: r.function, Kwargs: raw}, err
}

// encode writes arguments as JSON with sorted keys.
func encode(kwargs map[string]any) (json.RawMessage, error) {
	shown := make(map[string]any, len(kwargs))
	for name, v := range kwargs {
		switch v := v.(type) {
		case []map[string]any:
			var list []json.RawMessage
			for _, inner := range v {
				raw, err := encode(inner)
				if err != nil {
					return nil, err
				}
				list = append(list, raw)
			}
			shown[name] = list
		case []string:
			shown[name] = v
		default:
			shown[name] = json.RawMessage(python.JSON(v))
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(shown)
	return bytes.TrimSpace(b.Bytes()), err
}

// rule chooses function, arguments and answer format.
func (d Draft) rule(k Kind) (rule, error) {
	switch k {
	case Number:
		return d.number()
	case Bool:
		return d.bool()
	case Date:
		return d.date()
	case Paper:
		return d.paper()
	case PaperUUID:
		return d.paperUUID()
	case Dict:
		return d.dict()
	case String, Fuzzy:
		return d.text(k), nil
	case Formula, Text, AnyText, Points:
		return d.judged(k)
	case Parts:
		return d.parts()
	}
	return d.list(k)
}

func (d Draft) number() (rule, error) {
	n, ok := numberIn(d.Answer)
	if !ok {
		return rule{}, exit.Misuse("the answer %q is not a number", d.Answer)
	}
	r := rule{function: "eval_int_exact_match", kwargs: map[string]any{"gold": n.value}, format: "Your answer should be a Python integer"}
	_, isFloat := n.value.(float64)
	if decimals := d.Decimals; isFloat || decimals != nil {
		r.function, r.format = "eval_float_exact_match", "Your answer should be a Python float"
		if f, err := strconv.ParseFloat(python.Str(n.value), 64); err == nil {
			r.kwargs["gold"] = f
		}
		if decimals == nil && n.decimals >= 0 {
			decimals = &n.decimals
		}
		if decimals != nil {
			r.kwargs["ndigits"] = int64(*decimals)
			r.format += " rounded to " + plurality(*decimals, "decimal place")
		}
	}
	if n.percent {
		r.format += ", in percent, without the percent sign"
	}
	if !n.plain {
		r.notes = append(r.notes, fmt.Sprintf("%q is read as %s: an answer with a percent sign or thousands separators is not a number", d.Answer, python.Repr(n.value)))
	}
	r.format += "."
	return r, nil
}

func plurality(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (d Draft) bool() (rule, error) {
	v, ok := truths[strings.ToLower(d.Answer)]
	if !ok {
		return rule{}, exit.Misuse("the answer %q is neither true nor false", d.Answer)
	}
	return rule{function: "eval_bool_exact_match", kwargs: map[string]any{"gold": v}, format: "Your answer should be a Python boolean, True or False."}, nil
}

func (d Draft) date() (rule, error) {
	t, ok := date(d.Answer)
	if !ok {
		return rule{}, exit.Misuse("the answer %q is not a day such as 2024-05-31 or 31 May 2024", d.Answer)
	}
	gold := t.Format(time.DateOnly)
	r := rule{function: "eval_string_exact_match", kwargs: map[string]any{"gold": gold}, format: "Your answer should be a date in the form YYYY-MM-DD."}
	r.read(d.Answer, gold)
	return r, nil
}

// paper is an answer by title. A uuid, file name or part of the title stands for a paper that is known.
func (d Draft) paper() (rule, error) {
	title := d.Answer
	if d.Find != nil {
		if _, known, err := d.Find(d.Answer); err == nil && known != "" {
			title = known
		}
	}
	if qa.IsUUID(title) {
		return rule{}, exit.Misuse("the title of paper %s is not known: give the title, or the type %s", title, PaperUUID)
	}
	r := rule{
		function: "eval_paper_relevance_with_reference_answer", kwargs: map[string]any{"question": d.Question, "reference_answer": title},
		format: "Your answer should be the title of the paper only, without any explanation.",
	}
	r.read(d.Answer, title)
	return r, nil
}

func (d Draft) paperUUID() (rule, error) {
	uuid, _, err := FindPaper(d.Find, d.Answer)
	if err != nil {
		return rule{}, exit.Misuse("answer: %w", err)
	}
	r := rule{
		function: "eval_string_exact_match", kwargs: map[string]any{"gold": uuid, "lowercase": true},
		format: "Your answer should be the uuid of the paper as a string, without any explanation.",
	}
	r.read(d.Answer, uuid)
	return r, nil
}

// read notes an answer that stands for something else.
func (r *rule) read(given, gold string) {
	if given != gold {
		r.notes = append(r.notes, fmt.Sprintf("%q is read as %s", given, gold))
	}
}

func (d Draft) dict() (rule, error) {
	gold, ok := literal(d.Answer).(*python.Dict)
	if !ok {
		return rule{}, exit.Misuse("the answer %q is not a dictionary such as {\"a\": 1}", d.Answer)
	}
	var keys []string
	for k := range gold.All() {
		keys = append(keys, python.JSON(k))
	}
	r := rule{
		function: "eval_structured_object_exact_match", kwargs: map[string]any{"gold": gold, "lowercase": true},
		format: "Your answer should be a Python dictionary with the keys " + strings.Join(keys, ", ") + ".",
	}
	r.round(d, gold)
	return r, nil
}

// text is a text with one spelling. A quoted one is unquoted.
func (d Draft) text(k Kind) rule {
	gold := d.Answer
	if unquoted, ok := scalar(d.Answer).(string); ok {
		gold = unquoted
	}
	r := rule{function: "eval_string_exact_match", kwargs: map[string]any{"gold": gold, "lowercase": true}, format: "Your answer should be a single string, exactly as it is written in the paper."}
	if k == Fuzzy {
		r.function, r.format = "eval_string_fuzzy_match", "Your answer should be a single string."
		r.kwargs["threshold"] = int64(similarity)
	}
	return r
}

// similarity suffices for a fuzzy match, of 100.
const similarity = 90

// round adds the digits that count to a comparison of values with floats.
func (r *rule) round(d Draft, gold python.Value) {
	digits := decimalsIn(gold)
	if d.Decimals != nil {
		digits = *d.Decimals
	}
	if digits >= 0 {
		r.kwargs["ndigits"] = int64(digits)
	}
}

// decimalsIn is the maximum number of decimals of the floats in a value; -1 without floats.
func decimalsIn(v python.Value) int {
	most := -1
	switch v := v.(type) {
	case float64:
		_, behind, _ := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
		return len(behind)
	case python.List:
		for _, e := range v {
			most = max(most, decimalsIn(e))
		}
	case *python.Dict:
		for _, e := range v.All() {
			most = max(most, decimalsIn(e))
		}
	}
	return most
}

// list is an answer of several values.
func (d Draft) list(k Kind) (rule, error) {
	gold := python.List(values(d.Answer))
	if len(gold) == 0 {
		return rule{}, exit.Misuse("the answer %q is not a list: separate the elements with semicolons", d.Answer)
	}
	r := rule{function: "eval_structured_object_exact_match", kwargs: map[string]any{"gold": gold, "lowercase": true}}
	switch k {
	case List:
		r.format = listFormat(gold, ", in order")
	case Set:
		r.kwargs["ignore_order"] = true
		r.format = listFormat(gold, ", in any order")
	case OneOf:
		r.function, r.format = "eval_element_included", elementFormat(gold)
	case Subset:
		r.function, r.format = "eval_element_list_included", listFormat(gold, "")
	case Some:
		count := max(d.Count, 1)
		if count > len(gold) {
			return rule{}, exit.Misuse("--count %d: the answer has %s", count, plurality(len(gold), "element"))
		}
		r.function, r.kwargs["count"] = "eval_element_list_overlap", int64(count)
		r.format = listFormat(gold, fmt.Sprintf(" with at least %s", plurality(count, "right element")))
	}
	if kind := elementsOf(gold); k != List && k != Set && kind != "str" {
		r.kwargs["element_type"] = kind
	}
	r.round(d, gold)
	return r, nil
}

// elementFormat is the answer format of one of several values.
func elementFormat(gold python.List) string {
	switch elementsOf(gold) {
	case "int":
		return "Your answer should be a Python integer."
	case "float":
		return "Your answer should be a Python float."
	}
	return "Your answer should be a single string."
}

// parts is a list whose elements are scored by functions of their own.
func (d Draft) parts() (rule, error) {
	gold := values(d.Answer)
	if len(gold) < 2 {
		return rule{}, exit.Misuse("the answer %q is not a list of two or more parts", d.Answer)
	}
	var functions, formats []string
	var arguments []map[string]any
	for _, v := range gold {
		part := Draft{Question: d.Question, Answer: partText(v), Find: d.Find}
		r, err := part.rule(Guess(part.Answer))
		if err != nil {
			return rule{}, err
		}
		functions, arguments = append(functions, r.function), append(arguments, r.kwargs)
		format := strings.TrimSuffix(strings.TrimPrefix(r.format, "Your answer should be "), ".")
		formats = append(formats, fmt.Sprintf("%d. %s", len(formats)+1, format))
	}
	return rule{
		function: "eval_conjunction", kwargs: map[string]any{"eval_func_list": functions, "eval_kwargs_list": arguments},
		format: fmt.Sprintf("Your answer should be a Python list of %d elements: %s.", len(gold), strings.Join(formats, "; ")),
	}, nil
}

// partText is a part of an answer as a person would write it.
func partText(v python.Value) string {
	switch v.(type) {
	case python.List, *python.Dict:
		return python.JSON(v)
	case *big.Int, int64, float64, bool:
		return python.Repr(v)
	}
	return python.Str(v)
}

// judged is an answer that a judge compares.
func (d Draft) judged(k Kind) (rule, error) {
	r := rule{kwargs: map[string]any{"question": d.Question}, format: "Your answer should be one or two sentences."}
	switch k {
	case Formula:
		r.function, r.format = "eval_complex_math_formula_with_llm", "Your answer should be a single formula in LaTeX format."
		r.kwargs["formulas"] = d.Answer
	case AnyText:
		r.function = "eval_candidate_reference_answer_with_llm"
		r.kwargs["candidate_reference_answers"] = texts(sentences(d.Answer))
	case Points:
		return r.points(d)
	default:
		r.function = "eval_reference_answer_with_llm"
		r.kwargs["reference_answer"] = d.Answer
		if len(d.Points) > 0 {
			r.function = "eval_reference_answer_and_scoring_points_with_llm"
			r.kwargs["scoring_points"] = texts(d.Points)
		}
	}
	return r, nil
}

func (r rule) points(d Draft) (rule, error) {
	points := append(sentences(d.Answer), d.Points...)
	r.function, r.kwargs["scoring_points"] = "eval_scoring_points_with_llm", texts(points)
	switch {
	case d.Count < 0 || d.Count > len(points):
		return rule{}, exit.Misuse("--count %d: there are %s", d.Count, plurality(len(points), "point"))
	case cmp.Or(d.Count, len(points)) < len(points):
		r.function, r.kwargs["count"] = "eval_partial_scoring_points_with_llm", int64(d.Count)
	}
	return r, nil
}

// sentences splits texts that may contain commas: a list, or lines, or texts between semicolons.
func sentences(text string) []string {
	var list []string
	if v, ok := literal(text).(python.List); ok {
		for _, e := range v {
			list = append(list, python.Str(e))
		}
		return list
	}
	separator := ";"
	if strings.Contains(strings.TrimSpace(text), "\n") {
		separator = "\n"
	}
	return listed(strings.Split(text, separator))
}

func texts(list []string) python.List {
	out := make(python.List, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
