package eval

import (
	"fmt"
	"math/big"
	"strings"

	"airqa/internal/fuzzy"
	"airqa/internal/pyliteral"
)

// atomRule says how an element that is neither list nor dictionary is compared.
func (c comparer) atomRule(prediction, gold pyliteral.Value) string {
	switch g := gold.(type) {
	case bool:
		if c.fixed {
			if o := sameTruth(prediction, g); o.unread != "" {
				return pyliteral.Repr(prediction) + " is neither true nor false"
			}
			return "truth value " + relation(sameTruth(prediction, g).pass) + " " + pyliteral.Repr(g)
		}
		return c.wholeRule(prediction, gold)
	case int64, *big.Int:
		return c.wholeRule(prediction, gold)
	case float64:
		return c.floatRule(prediction, gold)
	}
	return c.textRule(prediction, gold)
}

func relation(equal bool) string {
	if equal {
		return "="
	}
	return "≠"
}

// textRule says how two texts are compared: by a threshold, or for equality.
func (c comparer) textRule(prediction, gold pyliteral.Value) string {
	if set, err := positive(c.threshold); err == nil && set {
		return c.alikeRule(prediction, gold)
	}
	prediction, gold = c.reading(prediction, gold, c.text)
	said, wanted := c.exactForm(prediction), c.exactForm(gold)
	var how []string
	if c.ignoreBlank {
		how = append(how, "without blanks")
	}
	if c.lowercase {
		how = append(how, "in lower case")
	}
	return strings.Join(append([]string{
		fmt.Sprintf("text %s %s %s", pyliteral.Repr(said), relation(said == wanted), pyliteral.Repr(wanted)),
	}, how...), ", ")
}

// alikeRule says how alike two texts are.
func (c comparer) alikeRule(prediction, gold pyliteral.Value) string {
	name, _ := c.method.(string)
	score := fuzzy.ByName(name)
	if score == nil {
		return fmt.Sprintf("there is no fuzz_method %s", pyliteral.Repr(c.method))
	}
	prediction, gold = c.reading(prediction, gold, c.alike)
	n := score(c.fuzzyForm(prediction, name), c.fuzzyForm(gold, name))
	rule := likeRule(name, n, c.threshold)
	if c.fixed && c.tooShort(prediction, gold) {
		rule += ", but the answer has less than half of the gold's letters"
	}
	return rule
}

// likeRule prints a score beside its threshold, such as "fuzzy ratio 88 < 95".
func likeRule(method string, score int, threshold pyliteral.Value) string {
	sign := "<"
	if enough, err := atLeast(score, threshold); err == nil && enough {
		sign = "≥"
	}
	return fmt.Sprintf("fuzzy %s %d %s %s", method, score, sign, pyliteral.Repr(threshold))
}

// reading returns the pair by which the values match, or the values themselves.
func (c comparer) reading(prediction, gold pyliteral.Value, compare func(p, g pyliteral.Value) (outcome, error)) (p, g pyliteral.Value) {
	if o, err := compare(prediction, gold); !c.fixed || err != nil || o.pass {
		return prediction, gold
	}
	for _, pair := range readings(prediction, gold) {
		if o, err := compare(pair[0], pair[1]); err == nil && o.pass {
			return pair[0], pair[1]
		}
	}
	return prediction, gold
}

// wholeRule says how whole numbers are compared.
func (c comparer) wholeRule(prediction, gold pyliteral.Value) string {
	printed := pyliteral.Repr(prediction)
	if c.fixed {
		o := sameWhole(prediction, gold)
		if o.unread != "" {
			return printed + " is not a number"
		}
		return fmt.Sprintf("number %s %s %s", printed, relation(o.pass), pyliteral.Repr(gold))
	}
	said, ok := toInt(prediction)
	if !ok {
		return "int() cannot read " + printed
	}
	wanted, ok := toInt(gold)
	if !ok {
		return "int() cannot read the gold " + pyliteral.Repr(gold)
	}
	sign := relation(pyliteral.Equal(said, wanted))
	return fmt.Sprintf("int() makes %s of %s, %[1]s %[3]s %[4]s", pyliteral.Repr(said), printed, sign, pyliteral.Repr(wanted))
}

// floatRule says how numbers are compared.
func (c comparer) floatRule(prediction, gold pyliteral.Value) string {
	said, ok := toFloat(prediction)
	if _, isBool := prediction.(bool); !ok || isBool && c.fixed {
		return pyliteral.Repr(prediction) + " is not a number"
	}
	rule := fmt.Sprintf("float %s vs %s", pyliteral.Repr(said), pyliteral.Repr(gold))
	if c.ndigits != nil {
		digits := "digits"
		if n, ok := number(c.ndigits); ok && n == 1 {
			digits = "digit"
		}
		rule += fmt.Sprintf(" rounded to %s %s", pyliteral.Repr(c.ndigits), digits)
	}
	rule += fmt.Sprintf(", relative tolerance %s", pyliteral.Repr(c.tolerance))
	if wanted, ok := number(gold); c.fixed && ok && wanted == 0 {
		rule += fmt.Sprintf(", absolute tolerance %s", pyliteral.Repr(zeroTolerance))
	}
	if _, ok := number(gold); !ok {
		rule += ": the gold is no number"
	}
	return rule
}

// truthRule says how truth values are compared.
func (x explainer) truthRule(prediction, gold pyliteral.Value) string {
	v := prediction
	if x.fixed() {
		v = trimmed(v)
	}
	said, ok := toBool(v)
	if !ok {
		return pyliteral.Repr(prediction) + " is neither true nor false"
	}
	wanted := truth(gold)
	return fmt.Sprintf("truth value %s %s %s", pyliteral.Repr(said), relation(said == wanted), pyliteral.Repr(wanted))
}
