package eval

import (
	"math"
	"math/big"
	"strconv"

	"airqa/internal/pyliteral"
	"airqa/internal/pystr"
)

// typed compares values as [Fixed] does: numbers by their type, lists without order by assignment.
type typed struct{ matching }

// structured compares an answer with a gold of any shape; the type of the gold decides how.
func (m typed) structured(prediction, gold pyliteral.Value) (outcome, error) {
	switch g := gold.(type) {
	case pyliteral.List:
		return m.lists(prediction, g)
	case *pyliteral.Dict:
		return m.dicts(prediction, g)
	case bool:
		return sameTruth(prediction, g), nil
	case int64, *big.Int:
		return sameWhole(prediction, g), nil
	case float64:
		return m.float(prediction, g), nil
	}
	return m.text(prediction, gold)
}

func (m typed) lists(prediction pyliteral.Value, gold pyliteral.List) (outcome, error) {
	said, read := listOf(prediction)
	if len(said) != len(gold) {
		if !read {
			return unread("the answer is not a list"), nil
		}
		return outcome{}, nil
	}
	if m.ignoreOrder && len(gold) > 1 {
		return m.anyOrder(said, gold)
	}
	for i := range said {
		if o, err := m.structured(said[i], gold[i]); err != nil || !o.pass {
			return o, err
		}
	}
	return passed(true), nil
}

// anyOrder passes when each gold has an element of its own. It is unread when no element could be compared with some
// gold.
func (m typed) anyOrder(said []pyliteral.Value, gold pyliteral.List) (outcome, error) {
	reasons := make([]string, len(gold)) // why no element so far could be compared with the gold
	compared := make([]bool, len(gold))
	a, err := assign(len(gold), len(said), len(gold), func(i, g int) (bool, error) {
		o, err := m.structured(said[i], gold[g])
		compared[g] = compared[g] || o.unread == ""
		reasons[g] = o.unread
		return o.pass, err
	})
	if err != nil || a.size == len(gold) {
		return passed(err == nil), err
	}
	for g, reason := range reasons {
		if reason != "" && !compared[g] {
			return unread(reason), nil
		}
	}
	return outcome{}, nil
}

func (m typed) dicts(prediction pyliteral.Value, gold *pyliteral.Dict) (outcome, error) {
	said := dictOf(prediction)
	if said == nil {
		return unread("the answer is not a dictionary"), nil
	}
	if said.Len() != gold.Len() {
		return outcome{}, nil
	}
	values := m.byKey(said)
	wanted := m.byKey(gold)
	for k := range gold.All() {
		key := keyText(k, m.lowercase)
		o, err := m.sameValues(values[key], wanted[key])
		if err != nil || !o.pass {
			return o, err
		}
	}
	return passed(true), nil
}

// byKey returns the values of each key as a text; several where keys differ only in case or in type.
func (m typed) byKey(d *pyliteral.Dict) map[string]pyliteral.List {
	out := make(map[string]pyliteral.List, d.Len())
	for k, v := range d.All() {
		key := keyText(k, m.lowercase)
		out[key] = append(out[key], v)
	}
	return out
}

// sameValues compares what stands under one key: mostly one value on each side.
func (m typed) sameValues(said, gold pyliteral.List) (outcome, error) {
	switch {
	case len(said) != len(gold):
		return outcome{}, nil
	case len(gold) == 1:
		return m.structured(said[0], gold[0])
	}
	return m.anyOrder(said, gold)
}

// text compares as texts. A gold that is a list of one text is met by the text and by a list of it; true, false and
// null are met in Python's and in JSON's spelling.
func (m typed) text(prediction, gold pyliteral.Value) (outcome, error) {
	fuzzyMatch, err := positive(m.threshold)
	if err != nil || !fuzzyMatch {
		return anyReading(prediction, gold, m.matching.text)
	}
	return anyReading(prediction, gold, m.alike)
}

// anyReading compares the values as they are and then in the other ways that they can be read, until one passes.
func anyReading(prediction, gold pyliteral.Value, compare func(prediction, gold pyliteral.Value) (outcome, error)) (outcome, error) {
	o, err := compare(prediction, gold)
	if err != nil || o.pass {
		return o, err
	}
	for _, pair := range readings(prediction, gold) {
		if o, err := compare(pair[0], pair[1]); err != nil || o.pass {
			return o, err
		}
	}
	return o, nil
}

// readings are other pairs that an answer and a gold may stand for.
func readings(prediction, gold pyliteral.Value) [][2]pyliteral.Value {
	var pairs [][2]pyliteral.Value
	if one, ok := onlyText(gold); ok {
		pairs = append(pairs, [2]pyliteral.Value{prediction, one})
		if said, read := listOf(prediction); read && len(said) == 1 {
			pairs = append(pairs, [2]pyliteral.Value{said[0], one})
		}
	}
	if s, ok := jsonConstant(prediction); ok {
		pairs = append(pairs, [2]pyliteral.Value{s, gold})
	}
	if s, ok := jsonConstant(gold); ok {
		pairs = append(pairs, [2]pyliteral.Value{prediction, s})
	}
	return pairs
}

// onlyText returns the text in a list of one.
func onlyText(v pyliteral.Value) (string, bool) {
	if items, ok := v.(pyliteral.List); ok && len(items) == 1 {
		s, ok := items[0].(string)
		return s, ok
	}
	return "", false
}

// jsonConstant returns how JSON spells a truth value or null.
func jsonConstant(v pyliteral.Value) (string, bool) {
	switch x := v.(type) {
	case nil:
		return "null", true
	case bool:
		return strconv.FormatBool(x), true
	}
	return "", false
}

// sameTruth compares with a truth value, which no number is.
func sameTruth(prediction pyliteral.Value, gold bool) outcome {
	switch x := prediction.(type) {
	case bool:
		return passed(x == gold)
	case string:
		if said, ok := toBool(pystr.Strip(x)); ok && !isDigits(x) {
			return passed(said == gold)
		}
	}
	return unread("the answer is neither true nor false")
}

func isDigits(s string) bool {
	_, ok := pystr.SmallInt(s)
	return ok
}

// sameWhole compares with a whole number. A number with a fraction is another number, "3.0" is 3.
func sameWhole(prediction, gold pyliteral.Value) outcome {
	said := prediction
	switch x := prediction.(type) {
	case int64, *big.Int, float64:
	case string, pyliteral.Bytes:
		i, ok := toInt(x)
		if !ok {
			var f float64
			if f, ok = toFloat(x); !ok {
				return unread("the answer is not a number")
			}
			i = f
		}
		said = i
	default:
		return unread("the answer is not a number")
	}
	return passed(pyliteral.Equal(said, gold))
}

// zeroTolerance is how far from a gold of 0 an answer may lie: a relative tolerance allows nothing there.
const zeroTolerance = 1e-9

// float compares with a number, rounded where ndigits is set. Truth values are none.
func (m typed) float(prediction, gold pyliteral.Value) outcome {
	if _, isBool := prediction.(bool); isBool {
		return unread("the answer is not a number")
	}
	o := m.sameFloat(prediction, gold)
	if o.pass || o.unread != "" {
		return o
	}
	said, _ := toFloat(prediction)
	wanted, ok := number(gold)
	return passed(ok && wanted == 0 && math.Abs(said) <= zeroTolerance)
}
