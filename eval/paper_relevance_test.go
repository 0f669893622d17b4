package eval_test

import "testing"

func TestPaperRelevance(t *testing.T) {
	runCases(t, "eval_paper_relevance_with_reference_answer", nil, []scoreCase{
		{"title", `{"question": "", "reference_answer": "Attention Is All You Need"}`, `"Attention is all you need"`, right},
		{"one letter less", `{"question": "", "reference_answer": "Attention Is All You Need"}`, `"Attention is all you nee"`, right},
		{"a little more", `{"question": "", "reference_answer": "Attention Is All You Need"}`, `"Title: Attention is all you need"`, wrong},
		{"quotes", `{"question": "", "reference_answer": "Attention"}`, `"'Attention'"`, wrong},
		{"surrounding spaces count", `{"question": "", "reference_answer": "Attention"}`, `" Attention "`, wrong},
		{"any of several", `{"question": "", "reference_answer": ["Attention", "Retention"]}`, `"retention"`, right},
		{"none of several", `{"question": "", "reference_answer": ["Attention", "Retention"]}`, `"Convolution"`, wrong},
		{"no titles", `{"question": "", "reference_answer": []}`, `"Convolution"`, wrong},
		{"threshold", `{"question": "", "reference_answer": "Attention", "threshold": 85}`, `"'Attention'"`, right},
		{"threshold as text", `{"question": "", "reference_answer": "Attention", "threshold": "95"}`, `"Attention"`, raised},
		{"no question", `{"reference_answer": "Attention"}`, `"Attention"`, raised},
		{"no reference", `{"question": ""}`, `"Attention"`, raised},
		{"unknown argument", `{"question": "", "reference_answer": "Attention", "lowercase": true}`, `"Attention"`, raised},
		{"reference of another type", `{"question": "", "reference_answer": 5}`, `"5"`, wrong},
		{"title of another type", `{"question": "", "reference_answer": [5]}`, `"5"`, raised},
		{"answer of another type", `{"question": "", "reference_answer": "5"}`, `5`, raised},
		{"list in a text", `{"question": "", "reference_answer": "Attention"}`, `"['Attention']"`, wrong},
	})
}
