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

	"airqa/eval"
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
	switch {
	case d.Answer == "" && len(d.Points) == 0:
		return rule{}, qa.Usagef("the type %s needs an answer", k)
	case len(d.Points) > 0 && k != Text && k != Points:
		return rule{}, qa.Usagef("points are for the types %s and %s, not %s", Text, Points, k)
	}
	row := k.row()
	r := rule{function: row.function, arguments: maps.Clone(row.options), format: row.format}
	if r.arguments == nil {
		r.arguments = arguments{}
	}
	gold, err := row.gold(d, &r)
	f := eval.Find(r.function)
	if name := f.GoldParam(); name != "" {
		r.arguments[name] = gold
	}
	if f.Param("question") != nil {
		r.arguments["question"] = d.Question
	}
	return r, err
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

func numberGold(d Draft, r *rule) (python.Value, error) {
	n, ok := numberIn(d.Answer)
	f, isFloat := n.value.(float64)
	if !ok || isFloat && math.IsInf(f, 0) {
		return nil, qa.Usagef("the answer %q is not a number", d.Answer)
	}
	gold := n.value
	if decimals := d.Decimals; isFloat || decimals != nil {
		r.function, r.format = "eval_float_exact_match", "Your answer should be a Python float"
		if f, err := strconv.ParseFloat(python.Str(n.value), 64); err == nil {
			gold = f
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
	return gold, nil
}

func truthGold(d Draft, _ *rule) (python.Value, error) {
	v, ok := truths[strings.ToLower(d.Answer)]
	if !ok {
		return nil, qa.Usagef("the answer %q is neither true nor false", d.Answer)
	}
	return v, nil
}

func dateGold(d Draft, r *rule) (python.Value, error) {
	t, ok := date(d.Answer)
	if !ok {
		return nil, qa.Usagef("the answer %q is not a day such as 2024-05-31 or 31 May 2024", d.Answer)
	}
	gold := t.Format(time.DateOnly)
	r.noteReading(d.Answer, gold)
	return gold, nil
}

// titleGold is the title of a paper. A uuid, file name or part of the title stands for a paper that is known.
func titleGold(d Draft, r *rule) (python.Value, error) {
	title := d.Answer
	if d.Find != nil {
		if _, known, err := d.Find(d.Answer); err == nil && known != "" {
			title = known
		}
	}
	if qa.IsUUID(title) {
		return nil, qa.Usagef("the title of paper %s is not known: give the title, or the type %s", title, PaperUUID)
	}
	r.noteReading(d.Answer, title)
	return title, nil
}

func uuidGold(d Draft, r *rule) (python.Value, error) {
	uuid, _, err := FindPaper(d.Find, d.Answer)
	if err != nil {
		return nil, qa.Usagef("answer: %w", err)
	}
	r.noteReading(d.Answer, uuid)
	return uuid, nil
}

func dictGold(d Draft, r *rule) (python.Value, error) {
	gold, ok := literal(d.Answer).(*python.Dict)
	if !ok {
		return nil, qa.Usagef("the answer %q is not a dictionary such as {\"a\": 1}", d.Answer)
	}
	var keys []string
	for k := range gold.All() {
		keys = append(keys, python.JSON(k))
	}
	r.format = "Your answer should be a Python dictionary with the keys " + strings.Join(keys, ", ") + "."
	r.round(d, gold)
	return gold, nil
}

// textGold is a text with one spelling. A quoted one is unquoted.
func textGold(d Draft, _ *rule) (python.Value, error) {
	if unquoted, ok := scalar(d.Answer).(string); ok {
		return unquoted, nil
	}
	return d.Answer, nil
}

// listGold is a list of values. The format of the kind is about their order.
func listGold(d Draft, r *rule) (python.Value, error) {
	gold, _, err := r.list(d)
	return gold, err
}

// list reads a list of values, with the type of its elements.
func (r *rule) list(d Draft) (gold python.List, element string, err error) {
	gold = values(d.Answer)
	if len(gold) == 0 {
		return nil, "", qa.Usagef("the answer %q is not a list: separate the elements with semicolons", d.Answer)
	}
	element = elementsOf(gold)
	kind := map[string]string{"int": " of integers", "float": " of floats", "str": " of strings"}[element]
	r.format = fmt.Sprintf("Your answer should be a Python list%s%s.", kind, r.format)
	r.round(d, gold)
	return gold, element, nil
}

// typedListGold is a list of right values for a function that needs their type.
func typedListGold(d Draft, r *rule) (python.Value, error) {
	gold, element, err := r.list(d)
	if err == nil && element != "str" {
		r.arguments["element_type"] = element
	}
	return gold, err
}

// elementGold is a list of right values of which one suffices.
func elementGold(d Draft, r *rule) (python.Value, error) {
	gold, err := typedListGold(d, r)
	r.format = oneText + "."
	if name, ok := map[python.Value]string{"int": "integer", "float": "float"}[r.arguments["element_type"]]; ok {
		r.format = "Your answer should be a Python " + name + "."
	}
	return gold, err
}

// someGold is a list of right values of which some suffice.
func someGold(d Draft, r *rule) (python.Value, error) {
	count := max(d.Count, 1)
	r.format = " with at least " + terminal.Plural(count, "right element")
	gold, err := typedListGold(d, r)
	if n := len(gold.(python.List)); err == nil && count > n {
		err = qa.Usagef("a count of %d is too large: the answer has %s", count, terminal.Plural(n, "element"))
	}
	r.arguments["count"] = int64(count)
	return gold, err
}

// partsGold adds a function for each element of the list.
func partsGold(d Draft, r *rule) (python.Value, error) {
	gold := values(d.Answer)
	if len(gold) < 2 {
		return nil, qa.Usagef("the answer %q is not a list of two or more parts", d.Answer)
	}
	var functions, kwargs python.List
	var formats []string
	for i, v := range gold {
		part := Draft{Question: d.Question, Answer: partText(v), Find: d.Find}
		inner, err := part.rule(Guess(part.Answer))
		if err != nil {
			return nil, err
		}
		functions, kwargs = append(functions, inner.function), append(kwargs, inner.dict())
		format := strings.TrimSuffix(strings.TrimPrefix(inner.format, "Your answer should be "), ".")
		formats = append(formats, fmt.Sprintf("%d. %s", i+1, format))
	}
	r.arguments["eval_func_list"], r.arguments["eval_kwargs_list"] = functions, kwargs
	r.format = fmt.Sprintf("Your answer should be a Python list of %d elements: %s.", len(gold), strings.Join(formats, "; "))
	return nil, nil
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

// judgedGold is a text that a judge compares with the answer. Points may be needed besides it.
func judgedGold(d Draft, r *rule) (python.Value, error) {
	if len(d.Points) > 0 {
		r.function = "eval_reference_answer_and_scoring_points_with_llm"
		r.arguments["scoring_points"] = pythonList(d.Points)
	}
	return d.Answer, nil
}

func anyTextGold(d Draft, _ *rule) (python.Value, error) { return pythonList(sentences(d.Answer)), nil }

func pointsGold(d Draft, r *rule) (python.Value, error) {
	all := append(sentences(d.Answer), d.Points...)
	if d.Count > len(all) {
		return nil, qa.Usagef("a count of %d is too large: there are %s", d.Count, terminal.Plural(len(all), "point"))
	}
	if d.Count > 0 && d.Count < len(all) {
		r.function, r.arguments["count"] = "eval_partial_scoring_points_with_llm", int64(d.Count)
	}
	return pythonList(all), nil
}

func pythonList(list []string) python.List {
	out := make(python.List, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
