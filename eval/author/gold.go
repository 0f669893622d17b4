package author

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
)

// separators split a list that is not written as one, in this order.
var separators = []string{"\n", ";", ","}

// values reads a list: as JSON or Python, or separated by line ends, semicolons or commas.
func values(text string) []python.Value {
	if items, ok := python.Elements(literal(text)); ok {
		return items
	}
	parts := []string{text}
	for _, s := range separators {
		if strings.Contains(text, s) {
			parts = strings.Split(text, s)
			break
		}
	}
	var list []python.Value
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			list = append(list, scalar(p))
		}
	}
	return list
}

// literal reads a list or dictionary as JSON or else as Python; nil for anything else.
func literal(text string) python.Value {
	text = strings.TrimSpace(text)
	if text == "" || !strings.ContainsAny(text[:1], "[{(") {
		return nil
	}
	if v, ok := python.ReadJSON(text); ok {
		return v
	}
	v, _ := python.Read(text)
	return v
}

// printed are the elements of a list as Python prints them.
func printed(list python.List) []string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = python.Str(e)
	}
	return texts
}

// scalar is a number or truth value if the text is one, else the text without quotes around it.
func scalar(text string) python.Value {
	if n, ok := numberIn(text); ok && n.plain {
		return n.value
	}
	if text == "True" || text == "False" {
		return text == "True"
	}
	if n := len(text); n > 1 && text[0] == text[n-1] && (text[0] == '"' || text[0] == '\'') {
		return text[1 : n-1]
	}
	return text
}

// number is a number as people write it.
type number struct {
	value python.Value // int64 or float64
	// decimals are the digits behind the point; -1 for a whole number and for an exponent.
	decimals int
	percent  bool
	// plain is true for a number that an evaluator reads as well.
	plain bool
}

// numberForm matches a number, with thousands separators and a percent sign.
var numberForm = lazyregexp.New(`^([-+−]?)(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d*))?([eE][-+]?\d+)?\s*(%?)$`)

// numberIn reads a text that is a number.
func numberIn(text string) (number, bool) {
	text = strings.TrimSpace(text)
	m := numberForm.FindStringSubmatch(text)
	if m == nil || m[2]+m[3] == "" {
		return number{}, false
	}
	n := number{decimals: -1, percent: m[5] != "", plain: m[5] == "" && m[1] != "−" && !strings.Contains(m[2], ",")}
	digits := strings.ReplaceAll(m[1]+m[2], "−", "-")
	digits = strings.ReplaceAll(digits, ",", "")
	if m[4] == "" && !strings.Contains(text, ".") {
		i, ok := new(big.Int).SetString(digits, 10)
		if !ok {
			return number{}, false
		}
		if n.value = i; i.IsInt64() {
			n.value = i.Int64()
		}
		return n, true
	}
	f, ok := python.Float(digits + "." + m[3] + "0" + m[4])
	if m[4] == "" {
		n.decimals = len(m[3])
	}
	n.value = f
	return n, ok
}

// truths are the words for a truth value.
var truths = map[string]bool{"true": true, "yes": true, "false": false, "no": false}

// date reads a day.
func date(text string) (time.Time, bool) {
	for _, form := range []string{time.DateOnly, "2006/01/02", "2 January 2006", "January 2, 2006", "2 Jan 2006", "Jan 2, 2006"} {
		if t, err := time.Parse(form, strings.TrimSpace(text)); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// shortText is the maximum number of words of a text that has one spelling.
const shortText = 4

// latexCommand matches a LaTeX command or mathematics between dollar signs.
var latexCommand = lazyregexp.New(`\\[A-Za-z]+|^\$[^$]+\$$`)

// short reports whether all texts are of a few words on one line.
func short(texts []string) bool {
	for _, t := range texts {
		if n := len(strings.Fields(t)); n > shortText || n == 0 || strings.Contains(strings.TrimSpace(t), "\n") {
			return false
		}
	}
	return true
}

// elementsOf names the type of the elements of a list: "int", "float" (with or without ints), "str" or "structured".
func elementsOf(list []python.Value) string {
	types := make([]string, len(list))
	for i, v := range list {
		types[i] = "structured"
		switch v.(type) {
		case int64, *big.Int:
			types[i] = "int"
		case float64:
			types[i] = "float"
		case string:
			types[i] = "str"
		}
	}
	slices.Sort(types)
	switch types = slices.Compact(types); {
	case len(types) == 1:
		return types[0]
	case slices.Equal(types, []string{"float", "int"}):
		return "float"
	}
	return "structured"
}

// Decimals is the maximum number of decimals of the floats in a value; -1 without floats.
func Decimals(v python.Value) int {
	most := -1
	switch v := v.(type) {
	case float64:
		_, behind, _ := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
		return len(behind)
	case python.List:
		for _, e := range v {
			most = max(most, Decimals(e))
		}
	case *python.Dict:
		for _, e := range v.All() {
			most = max(most, Decimals(e))
		}
	}
	return most
}

// sentences splits texts that may contain commas: a list, or lines, or texts between semicolons.
func sentences(text string) []string {
	if list, ok := literal(text).(python.List); ok {
		return printed(list)
	}
	separator := ";"
	if strings.Contains(strings.TrimSpace(text), "\n") {
		separator = "\n"
	}
	return listed(strings.Split(text, separator))
}
