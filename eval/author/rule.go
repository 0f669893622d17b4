package author

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"airqa/internal/python"
	"airqa/internal/terminal"
	"airqa/qa"
)

// arguments are those of an evaluation function, by name.
type arguments map[string]python.Value

// dict returns the arguments with sorted names.
func (a arguments) dict() *python.Dict {
	d := &python.Dict{}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		d.Set(name, a[name])
	}
	return d
}

// rule is how an answer is scored.
type rule struct {
	function string
	arguments
	format string
	notes  []string
}

// rule chooses function, arguments and answer format by the table of kinds.
func (d Draft) rule(k Kind) (rule, error) {
	row := k.row()
	r := rule{function: row.function, arguments: maps.Clone(row.fixed), format: row.format}
	if r.arguments == nil {
		r.arguments = arguments{}
	}
	return r, row.complete(d, &r)
}

// noteReading notes an answer that stands for something else.
func (r *rule) noteReading(given, gold string) {
	if given != gold {
		r.notes = append(r.notes, fmt.Sprintf("%q is read as %s", given, gold))
	}
}

// round adds the digits that count to a comparison of values with floats.
func (r *rule) round(d Draft, gold python.Value) {
	digits := Decimals(gold)
	if d.Decimals != nil {
		digits = *d.Decimals
	}
	if digits >= 0 {
		r.arguments["ndigits"] = int64(digits)
	}
}

func numberRule(d Draft, r *rule) error {
	n, ok := numberIn(d.Answer)
	if f, isFloat := n.value.(float64); !ok || isFloat && math.IsInf(f, 0) {
		return qa.Usagef("the answer %q is not a number", d.Answer)
	}
	r.arguments["gold"] = n.value
	_, isFloat := n.value.(float64)
	if decimals := d.Decimals; isFloat || decimals != nil {
		r.function, r.format = "eval_float_exact_match", "Your answer should be a Python float"
		if f, err := strconv.ParseFloat(python.Str(n.value), 64); err == nil {
			r.arguments["gold"] = f
		}
		if decimals == nil && n.decimals >= 0 {
			decimals = &n.decimals
		}
		if decimals != nil {
			r.arguments["ndigits"] = int64(*decimals)
			r.format += " rounded to " + terminal.Plural(*decimals, "decimal place")
		}
	}
	if n.percent {
		r.format += ", in percent, without the percent sign"
	}
	if !n.plain {
		r.notes = append(r.notes, fmt.Sprintf("%q is read as %s: an answer with a percent sign or thousands separators is not a number",
			d.Answer, python.Repr(n.value)))
	}
	r.format += "."
	return nil
}

func truthRule(d Draft, r *rule) error {
	v, ok := truths[strings.ToLower(d.Answer)]
	if !ok {
		return qa.Usagef("the answer %q is neither true nor false", d.Answer)
	}
	r.arguments["gold"] = v
	return nil
}

func dateRule(d Draft, r *rule) error {
	t, ok := date(d.Answer)
	if !ok {
		return qa.Usagef("the answer %q is not a day such as 2024-05-31 or 31 May 2024", d.Answer)
	}
	gold := t.Format(time.DateOnly)
	r.arguments["gold"] = gold
	r.noteReading(d.Answer, gold)
	return nil
}

// paperRule makes the rule of an answer by title. A uuid, file name or part of the title stands for a paper that is known.
func paperRule(d Draft, r *rule) error {
	title := d.Answer
	if d.Find != nil {
		if _, known, err := d.Find(d.Answer); err == nil && known != "" {
			title = known
		}
	}
	if qa.IsUUID(title) {
		return qa.Usagef("the title of paper %s is not known: give the title, or the type %s", title, PaperUUID)
	}
	r.arguments["question"], r.arguments["reference_answer"] = d.Question, title
	r.noteReading(d.Answer, title)
	return nil
}

func paperUUIDRule(d Draft, r *rule) error {
	uuid, _, err := FindPaper(d.Find, d.Answer)
	if err != nil {
		return qa.Usagef("answer: %w", err)
	}
	r.arguments["gold"] = uuid
	r.noteReading(d.Answer, uuid)
	return nil
}

func dictRule(d Draft, r *rule) error {
	gold, ok := literal(d.Answer).(*python.Dict)
	if !ok {
		return qa.Usagef("the answer %q is not a dictionary such as {\"a\": 1}", d.Answer)
	}
	var keys []string
	for k := range gold.All() {
		keys = append(keys, python.JSON(k))
	}
	r.arguments["gold"] = gold
	r.format = "Your answer should be a Python dictionary with the keys " + strings.Join(keys, ", ") + "."
	r.round(d, gold)
	return nil
}

// textRule makes the rule of a text with one spelling. A quoted one is unquoted.
func textRule(d Draft, r *rule) error {
	r.arguments["gold"] = d.Answer
	if unquoted, ok := scalar(d.Answer).(string); ok {
		r.arguments["gold"] = unquoted
	}
	return nil
}

// listRule makes the rule of an answer of several values. The format of the kind is about their order.
func listRule(d Draft, r *rule) error {
	gold := python.List(values(d.Answer))
	if len(gold) == 0 {
		return qa.Usagef("the answer %q is not a list: separate the elements with semicolons", d.Answer)
	}
	r.arguments["gold"] = gold
	kind := map[string]string{"int": " of integers", "float": " of floats", "str": " of strings"}[elementsOf(gold)]
	r.format = fmt.Sprintf("Your answer should be a Python list%s%s.", kind, r.format)
	r.round(d, gold)
	return nil
}

// typedListRule makes the rule of a list of right values for a function that needs their type.
func typedListRule(d Draft, r *rule) error {
	if err := listRule(d, r); err != nil {
		return err
	}
	if kind := elementsOf(r.arguments["gold"].(python.List)); kind != "str" {
		r.arguments["element_type"] = kind
	}
	return nil
}

// elementRule makes the rule of one of several right values.
func elementRule(d Draft, r *rule) error {
	if err := typedListRule(d, r); err != nil {
		return err
	}
	r.format = oneText + "."
	if name, ok := map[python.Value]string{"int": "integer", "float": "float"}[r.arguments["element_type"]]; ok {
		r.format = "Your answer should be a Python " + name + "."
	}
	return nil
}

// someRule makes the rule of a list with a minimum number of right values.
func someRule(d Draft, r *rule) error {
	count := max(d.Count, 1)
	r.format = " with at least " + terminal.Plural(count, "right element")
	if err := typedListRule(d, r); err != nil {
		return err
	}
	if n := len(r.arguments["gold"].(python.List)); count > n {
		return qa.Usagef("a count of %d is too large: the answer has %s", count, terminal.Plural(n, "element"))
	}
	r.arguments["count"] = int64(count)
	return nil
}

// partsRule makes the rule of a list whose elements are scored by functions of their own.
func partsRule(d Draft, r *rule) error {
	gold := values(d.Answer)
	if len(gold) < 2 {
		return qa.Usagef("the answer %q is not a list of two or more parts", d.Answer)
	}
	var functions, kwargs python.List
	var formats []string
	for i, v := range gold {
		part := Draft{Question: d.Question, Answer: partText(v), Find: d.Find}
		inner, err := part.rule(Guess(part.Answer))
		if err != nil {
			return err
		}
		functions, kwargs = append(functions, inner.function), append(kwargs, inner.dict())
		format := strings.TrimSuffix(strings.TrimPrefix(inner.format, "Your answer should be "), ".")
		formats = append(formats, fmt.Sprintf("%d. %s", i+1, format))
	}
	r.arguments["eval_func_list"], r.arguments["eval_kwargs_list"] = functions, kwargs
	r.format = fmt.Sprintf("Your answer should be a Python list of %d elements: %s.", len(gold), strings.Join(formats, "; "))
	return nil
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

// judgedRule makes the rule of a text that a judge compares with the argument, and of points besides it.
func judgedRule(argument string) func(Draft, *rule) error {
	return func(d Draft, r *rule) error {
		r.arguments["question"], r.arguments[argument] = d.Question, d.Answer
		if len(d.Points) > 0 {
			r.function = "eval_reference_answer_and_scoring_points_with_llm"
			r.arguments["scoring_points"] = pythonList(d.Points)
		}
		return nil
	}
}

func anyTextRule(d Draft, r *rule) error {
	r.arguments["question"], r.arguments["candidate_reference_answers"] = d.Question, pythonList(sentences(d.Answer))
	return nil
}

func pointsRule(d Draft, r *rule) error {
	all := append(sentences(d.Answer), d.Points...)
	if d.Count > len(all) {
		return qa.Usagef("a count of %d is too large: there are %s", d.Count, terminal.Plural(len(all), "point"))
	}
	r.arguments["question"], r.arguments["scoring_points"] = d.Question, pythonList(all)
	if d.Count > 0 && d.Count < len(all) {
		r.function, r.arguments["count"] = "eval_partial_scoring_points_with_llm", int64(d.Count)
	}
	return nil
}

func pythonList(list []string) python.List {
	out := make(python.List, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
