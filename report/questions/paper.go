package questions

// paperTable is Table 2 of the AirQA paper, over 1,246 questions.
type paperTable struct {
	questions             int
	counts                map[string]int
	meanLength, maxLength float64
	meanPapers, maxPapers float64
}

// paperTable2 lacks counts of objective and subjective questions, which the paper shows only in Figure 2, without
// numbers. Its lengths have no unit; Figure 6 uses tokens.
var paperTable2 = paperTable{
	questions: 1246,
	counts: map[string]int{
		"single": 351, "multiple": 323, "retrieval": 288, "comprehensive": 284,
		"text": 621, "table": 213, "image": 207, "formula": 127, "metadata": 122,
	},
	meanLength: 34.84, maxLength: 118, meanPapers: 1.63, maxPapers: 7,
}

// PaperCounts returns the paper's counts (Table 2) for the kinds in a list.
func PaperCounts(list []Count) []Count {
	paper := make([]Count, len(list))
	for i, c := range list {
		n := paperTable2.counts[c.Name]
		paper[i] = Count{Name: c.Name, N: n, Share: share(n, paperTable2.questions)}
	}
	return paper
}
