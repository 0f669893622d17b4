package offline_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"airqa/qa"
)

// The materials of the explorer's prompts, as extractor/candidate writes them.
const (
	aboutText = "Section:\n3 Training\n\nText:\nThe Heron encoder has 12 layers and one head. Training takes 48 hours on a single card. " +
		"WeirNet holds 1,248 samples of running water. See Table 3 for all values."
	aboutTable = "Caption:\nTable 2: Recall of river gauges\n\nTable in HTML:\n<table><tr><td>System</td><td>Recall</td><td>Speed</td></tr>" +
		"<tr><td>Base</td><td>61.5</td><td>120</td></tr><tr><td>Ours</td><td>72.9</td><td>95</td></tr></table>"
	aboutFigure   = "Caption:\nFigure 4: Growth of pebbles over seven weeks\n\nText of the page:\nThe weeks are dry. Each pebble grows by 3 grams."
	aboutMetadata = "Bibliographic data:\nTitle: Heron: Counting by Ear\nAuthors: Ada Heron, Bo Writer, Cy Reader\nNumber of authors: 3\nNumber of pages: 11\nYear: 2031"
	aboutSections = aboutText + "\n\nSection:\n4 Data\n\nText:\nThe Dipper corpus covers 36 rivers in two countries. Each gauge reports 96 values."
	aboutPaper    = "Title:\nHeron: Counting by Ear\n\nAbstract:\nWe present Heron, a device that counts herring gulls by their calls. Counting gulls by hand is slow because gulls hide behind rocks."
)

// ask asks for a question about a material.
func ask(t *testing.T, beginning, material string, number int) (question, answer, evidence string) {
	t.Helper()
	prompt := beginning + ".\n==========\n" + material + "\n==========\n"
	if number > 1 {
		prompt += fmt.Sprintf("This is question number %d about it.", number)
	}
	reply := say(t, qa.Message{Role: qa.User, Text: prompt})
	m := regexp.MustCompile("(?s)```txt\n\\[Question\\]: ([^\n]*)(?:\n\\[Answer\\]: ([^\n]*)\n\\[Evidence\\]: (.*))?\n```$").FindStringSubmatch(reply)
	if m == nil {
		t.Fatalf("no question in %q", reply)
	}
	return m[1], m[2], m[3]
}

const (
	explorer = "You write exam questions about research papers"
	finder   = "You write questions that ask for a research paper"
)

// Every question about a part of a paper has its answer in its evidence, and its evidence in the material; the question
// points at nothing on the page.
func TestQuestionsAreAboutTheMaterial(t *testing.T) {
	onPage := regexp.MustCompile(`(?i)\b(?:table|figure|section|equation) \d|\bthis (?:table|figure|section|paper)\b`)
	for name, material := range map[string]string{
		"text": aboutText, "table": aboutTable, "figure": aboutFigure, "metadata": aboutMetadata, "sections": aboutSections,
	} {
		asked := make(map[string]bool)
		for number := 1; number <= 6; number++ {
			question, answer, evidence := ask(t, explorer, material, number)
			asked[question] = true
			plainText := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]+>`).ReplaceAllString(material, " ")), " ")
			for line := range strings.Lines(evidence) {
				if line = strings.Join(strings.Fields(line), " "); !strings.Contains(plainText, line) {
					t.Errorf("%s: the evidence %q is not in the material", name, line)
				}
			}
			for part := range strings.SplitSeq(strings.Trim(answer, "[]"), ", ") {
				if !strings.Contains(strings.ReplaceAll(evidence, ",", ""), strings.ReplaceAll(part, ",", "")) && name != "metadata" {
					t.Errorf("%s: the answer %q is not in the evidence %q", name, part, evidence)
				}
			}
			if onPage.MatchString(question) {
				t.Errorf("%s: %q points at the page", name, question)
			}
		}
		if len(asked) < 2 && name != "figure" {
			t.Errorf("%s: six requests gave %d questions", name, len(asked))
		}
	}
}

// A question for a paper describes it without its name.
func TestQuestionsForThePaper(t *testing.T) {
	for number := 1; number <= 4; number++ {
		question, _, _ := ask(t, finder, aboutPaper, number)
		if !strings.HasPrefix(question, "Which paper ") || strings.Contains(question, "Heron") {
			t.Errorf("question %d: %q", number, question)
		}
	}
	question, _, _ := ask(t, explorer, aboutPaper+"\n\n"+aboutMetadata, 1)
	if !strings.HasPrefix(question, "Find the paper that states “Counting gulls") || strings.Contains(question, "Heron") {
		t.Errorf("comprehensive: %q", question)
	}
}

// Without anything to ask, the reply has no question.
func TestNothingToAsk(t *testing.T) {
	for _, material := range []string{"Section:\nA\n\nText:\nWords only.", "Caption:\nA photo\n\nText of the page:\nNothing.", "Formula:\nx\n\nText of the page:\ny"} {
		if reply := say(t, qa.Message{Role: qa.User, Text: explorer + ".\n==========\n" + material + "\n==========\n"}); strings.Contains(reply, "[Question]") {
			t.Errorf("a question about %q: %s", material, reply)
		}
	}
}

// The tracker chooses a function by the type of the answer.
func TestEvaluators(t *testing.T) {
	tests := []struct{ question, answer, function, kwargs string }{
		{"How many?", "12", "eval_int_exact_match", `{"gold":12}`},
		{"Which value?", "72.90", "eval_float_exact_match", `{"gold":72.90,"ndigits":2}`},
		{"Which two numbers?", "[36, 0.5]", "eval_structured_object_exact_match", `{"gold":[36, 0.5]}`},
	}
	for _, tt := range tests {
		t.Run(tt.function, func(t *testing.T) {
			reply := say(t, qa.Message{Role: qa.User, Text: "You turn questions about research papers into examples.\n==========\n[Question]: " + tt.question + "\n[Answer]: " + tt.answer + "\n==========\n"})
			m := regexp.MustCompile(`(?m)^\[Evaluator\]: (.*)$`).FindStringSubmatch(reply)
			if m == nil {
				t.Fatalf("no evaluator in %q", reply)
			}
			var e struct {
				Func   string          `json:"eval_func"`
				Kwargs json.RawMessage `json:"eval_kwargs"`
			}
			if err := json.Unmarshal([]byte(m[1]), &e); err != nil {
				t.Fatal(err)
			}
			if e.Func != tt.function || !sameJSON(t, string(e.Kwargs), tt.kwargs) {
				t.Errorf("%s %s", e.Func, e.Kwargs)
			}
		})
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var texts [2]string
	for i, text := range []string{a, b} {
		var v any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(raw)
	}
	return texts[0] == texts[1]
}
