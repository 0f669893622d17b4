package cause

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"airqa/eval"
	"airqa/internal/lazyregexp"
	"airqa/internal/words"
	"airqa/qa"
)

// itemsOf returns the evidence of a question: the places of a synthesized one, otherwise its papers and gold texts.
func itemsOf(ex qa.Example) []Item {
	if list := synthesized(ex); len(list) > 0 {
		return list
	}
	parts := Golds(ex.Evaluator)
	const paperRelevance = "eval_paper_relevance_with_reference_answer"
	if ex.HasTag("retrieval") || ex.Evaluator.Func == paperRelevance {
		return asked(ex, parts)
	}
	var list []Item
	for _, id := range ex.Papers() {
		list = append(list, Item{Papers: []string{strings.ToLower(id)}})
	}
	for _, part := range parts {
		it := Item{Papers: lower(ex.Papers()), Texts: part}
		it.computed = number.MatchString(part[0]) && counting.MatchString(ex.Question)
		list = append(list, it)
	}
	return list
}

// asked returns the paper that a question asks for: one of those that it names as supporting, or the one whose title is
// the gold answer, in any of the conferences of the question.
func asked(ex qa.Example, titles [][]string) []Item {
	it := Item{Papers: lower(ex.Papers()), whole: true}
	for _, title := range slices.Concat(titles...) {
		if qa.IsUUID(title) {
			it.Papers = append(it.Papers, strings.ToLower(title))
			continue
		}
		it.Texts = append(it.Texts, title)
		for _, venue := range ex.Conference {
			it.Papers = append(it.Papers, qa.PaperUUID(title, venue))
		}
	}
	if len(it.Papers)+len(it.Texts) == 0 {
		return nil
	}
	return []Item{it}
}

func lower(ids []string) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = strings.ToLower(id)
	}
	return list
}

// synthesized reads the places that the gates of a synthesized question have found, one object or several.
func synthesized(ex qa.Example) []Item {
	type place struct {
		Paper, Element, Kind, Quote string
		Page                        int
		Box                         []float64
	}
	var synth struct{ Evidence json.RawMessage }
	if json.Unmarshal(ex.Extra["synth"], &synth) != nil {
		return nil
	}
	var places []place
	if json.Unmarshal(synth.Evidence, &places) != nil {
		places = make([]place, 1)
		if json.Unmarshal(synth.Evidence, &places[0]) != nil {
			return nil
		}
	}
	var list []Item
	for _, p := range places {
		if p.Paper == "" {
			continue
		}
		it := Item{
			Papers: []string{strings.ToLower(p.Paper)}, Page: p.Page, Box: p.Box, Element: strings.ToLower(p.Element), Kind: p.Kind,
			quoted: true, whole: p.Element == p.Paper,
		}
		if it.whole {
			it.Element = ""
		}
		if p.Quote != "" {
			it.Texts = []string{p.Quote}
		}
		list = append(list, it)
	}
	return list
}

var (
	number = lazyregexp.New(`^-?[\d.,]+$`)
	// counting matches questions whose answer may not be printed anywhere.
	counting = lazyregexp.New(`(?i)\b(?:how many|how much|by how|number of|differ|exceed|sum|total|average|mean|ratio|more than|fewer|compared|percentage points?)\b`)
)

// Golds returns the texts of a gold answer: one list of alternatives for each part that an answer needs. Truth values
// and negated golds have no text. Numbers come in the forms that a paper may print.
func Golds(e qa.Evaluator) [][]string {
	dec := json.NewDecoder(bytes.NewReader(e.Kwargs))
	dec.UseNumber()
	var args map[string]any
	if dec.Decode(&args) != nil {
		return nil
	}
	names, isJoined := args["eval_func_list"].([]any)
	if isJoined {
		args = nil // it has no gold of its own
	}
	parts := joined(e, names)
	for _, key := range []string{"gold", "reference_answer", "candidate_reference_answers", "scoring_points", "formulas", "fomulas"} {
		if key == "reference_answer" && args["scoring_points"] != nil {
			continue
		}
		parts = append(parts, Parts(args[key])...)
	}
	if eval.AnyGold(e.Func) && len(parts) > 0 {
		return [][]string{slices.Concat(parts...)}
	}
	return parts
}

// joined returns the golds of the functions in a conjunction or disjunction.
func joined(e qa.Evaluator, names []any) (parts [][]string) {
	var list struct {
		Kwargs []json.RawMessage `json:"eval_kwargs_list"`
	}
	if len(names) == 0 || json.Unmarshal(e.Kwargs, &list) != nil {
		return nil
	}
	for i := range min(len(names), len(list.Kwargs)) {
		inner, _ := names[i].(string)
		parts = append(parts, Golds(qa.Evaluator{Func: inner, Kwargs: list.Kwargs[i]})...)
	}
	return parts
}

// Parts returns the texts and numbers inside a value of plain Go types, such as an answer, as [Golds] does.
func Parts(v any) [][]string {
	switch v := v.(type) {
	case string:
		if strings.TrimSpace(v) != "" {
			return [][]string{{v}}
		}
	case json.Number:
		return [][]string{forms(v)}
	case int64:
		return Parts(json.Number(strconv.FormatInt(v, 10)))
	case float64:
		return Parts(json.Number(strconv.FormatFloat(v, 'f', -1, 64)))
	case []any:
		var list [][]string
		for _, x := range v {
			list = append(list, Parts(x)...)
		}
		return list
	case map[string]any:
		var list [][]string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			list = append(list, Parts(v[key])...)
		}
		return list
	}
	return nil
}

// forms returns the forms in which a paper may print a number: as a fraction or in percent, as a power of ten, in words.
func forms(n json.Number) []string {
	list := []string{n.String()}
	x, err := n.Float64()
	if err != nil {
		return list
	}
	plain := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	list = append(list, plain(x))
	if x >= 0 && x == float64(int(x)) && x <= 12 {
		list = append(list, words.Numerals[int(x)])
	}
	if x > 0 && x < 1 {
		list = append(list, strconv.FormatFloat(x*100, 'g', 12, 64), strings.TrimPrefix(plain(x), "0"))
	}
	if x > 0 && x < 0.01 {
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e-")
		exponent = strings.TrimLeft(exponent, "0")
		list = append(list, mantissa+"e-"+exponent, mantissa+" 10 "+exponent)
	}
	slices.Sort(list[1:])
	return slices.Compact(list)
}
