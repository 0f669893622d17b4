package author

import (
	"context"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/internal/python"
	"airqa/internal/terminal"
	"airqa/qa"
)

// Sample is a possible answer with its verdicts.
type Sample struct {
	Answer    string     `json:"answer"`
	Reference qa.Verdict `json:"reference"`
	Fixed     qa.Verdict `json:"fixed"`
}

// Preview scores the gold answer and a few variants of it in both modes. Judged answers are compared by their words.
func Preview(ctx context.Context, w Written) []Sample {
	if w.Evaluator.Func == "" {
		return nil
	}
	var samples []Sample
	by := func(m eval.Mode) eval.Prepared {
		return eval.New(eval.Config{Judge: judge.Lexical{}, Mode: m}).Prepare(w.Evaluator)
	}
	reference, fixed := by(eval.Reference), by(eval.Fixed)
	for _, answer := range variants(w) {
		p := eval.Text(answer)
		samples = append(samples, Sample{answer, reference.Score(ctx, p).Verdict, fixed.Score(ctx, p).Verdict})
	}
	return samples
}

// Text describes a question to its author: evaluator, format and tags, and how the samples are scored. It fits 80 columns where
// width is 0.
func (w Written) Text(samples []Sample, width int) string {
	if width <= 0 {
		width = 80
	}
	var b strings.Builder
	for _, line := range [][2]string{
		{"evaluator", w.Describe()}, {"format", w.AnswerFormat}, {"tags", strings.Join(w.Tags, ", ")}, {"papers", strings.Join(w.Papers(), ", ")},
	} {
		if line[1] == "" {
			continue
		}
		text := strings.Join(terminal.Hard(terminal.Line(line[1]), width-labelWidth), "\n"+strings.Repeat(" ", labelWidth))
		b.WriteString(terminal.Pad(line[0], labelWidth, false) + text + "\n")
	}
	if len(samples) > 0 {
		table := terminal.Table{Head: []string{"answer", string(eval.Reference), string(eval.Fixed)}}
		for _, s := range samples {
			table.Rows = append(table.Rows, []string{terminal.Line(s.Answer), string(s.Reference), string(s.Fixed)})
		}
		b.WriteString("\n" + table.Text(width) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// labelWidth is the width of the labels of [Written.Text], in columns.
const labelWidth = 11

// unknown is an answer that no gold resembles.
const unknown = "I do not know."

// variants are the gold answer, another way to write it, and a wrong answer.
func variants(w Written) []string {
	text, ok := eval.GoldAnswer(w.Evaluator)
	if !ok {
		return []string{unknown}
	}
	list := []string{text}
	if other := w.Kind.row().variants; other != nil {
		list = append(list, other(text)...)
	}
	if w.Kind == "" || eval.Subjective(w.Evaluator) {
		list = append(list, unknown)
	}
	var distinct []string
	for _, s := range list {
		if !slices.Contains(distinct, s) {
			distinct = append(distinct, s)
		}
	}
	return distinct
}

func truthVariants(gold string) []string {
	other := "True"
	if strings.EqualFold(gold, other) {
		other = "False"
	}
	return []string{strings.ToLower(gold), other}
}

func textVariants(gold string) []string {
	return []string{strings.ToUpper(gold), "The answer is " + gold + ".", "something else"}
}

// partialVariants are those of a list, and the list with one right and one wrong element.
func partialVariants(gold string) []string {
	variants := listVariants(gold)
	if list, _ := literal(gold).(python.List); len(list) > 0 {
		variants = append(variants, python.Repr(python.List{list[0], "something else"}))
	}
	return variants
}

// dictVariants is the dictionary without its last key.
func dictVariants(gold string) []string {
	whole, ok := literal(gold).(*python.Dict)
	if !ok || whole.Len() < 2 {
		return nil
	}
	less := &python.Dict{}
	for k, v := range whole.All() {
		if less.Len() < whole.Len()-1 {
			less.Set(k, v)
		}
	}
	return []string{python.Repr(less)}
}

func numberVariants(gold string) []string {
	if i, ok := new(big.Int).SetString(gold, 10); ok {
		return []string{gold + ".0", "about " + gold, new(big.Int).Add(i, big.NewInt(1)).String()}
	}
	f, err := strconv.ParseFloat(gold, 64)
	if err != nil {
		return nil
	}
	decimals := max(Decimals(f), 0)
	return []string{
		gold + "%", "about " + gold,
		strconv.FormatFloat(f+math.Pow10(-decimals), 'f', decimals, 64), strconv.FormatFloat(f+math.Pow10(-decimals-2), 'f', decimals+2, 64),
	}
}

func dateVariants(gold string) []string {
	t, ok := date(gold)
	if !ok {
		return nil
	}
	return []string{t.Format("2 January 2006"), t.AddDate(0, 0, 1).Format("2006-01-02")}
}

// listVariants are the list in reverse order, without its last element, and as plain text.
func listVariants(gold string) []string {
	list, _ := literal(gold).(python.List)
	if len(list) == 0 {
		return nil
	}
	reversed := slices.Clone(list)
	slices.Reverse(reversed)
	return []string{python.Repr(reversed), python.Repr(list[:len(list)-1]), strings.Join(printed(list), ", ")}
}
