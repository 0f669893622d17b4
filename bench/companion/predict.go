package companion

import (
	"bytes"
	"encoding/json"
	"fmt"

	"airqa/internal/atomicfile"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/runlog"
)

// FromRun writes the answers of a run as predictions in the benchmark's own format to a file, and returns their number.
// Items without an answer have no line. Of several repeats, the first counts.
func FromRun(b Benchmark, path, dir, to string) (int, error) {
	c, err := b.Load(path)
	if err != nil {
		return 0, err
	}
	run, err := runlog.Open(dir)
	if err != nil {
		return 0, err
	}
	items := make(map[string]dataset.Item, len(c.Items))
	for _, it := range c.Items {
		items[it.UUID] = it
	}
	var text bytes.Buffer
	n := 0
	for rec, err := range run.Episodes() {
		if err != nil {
			return 0, fmt.Errorf("%s: %w", dir, err)
		}
		it, known := items[rec.UUID]
		if !known {
			return 0, fmt.Errorf("%s: question %s is none of %s; name the dataset of the run", dir, rec.UUID, path)
		}
		if rec.Repeat > 0 || !rec.Answer.Given {
			continue
		}
		if err := json.NewEncoder(&text).Encode(b.predict(it, rec.Answer)); err != nil {
			return 0, err
		}
		n++
	}
	return n, atomicfile.WriteFile(to, text.Bytes())
}

// list returns an empty list for none, so that JSON has no null.
func list(ids []string) []string {
	if ids == nil {
		return []string{}
	}
	return ids
}

func predictQASPER(it dataset.Item, a qa.Answer) any {
	return map[string]any{"question_id": it.UUID, "predicted_answer": a.Text, "predicted_evidence": list(a.Evidence)}
}

func predictArgSciChat(it dataset.Item, a qa.Answer) any {
	return map[string]any{"pair_id": it.UUID, "article_id": it.Document, "predicted_answer": a.Text, "predicted_evidence": list(a.Evidence)}
}

func predictDORIS(it dataset.Item, a qa.Answer) any {
	return map[string]any{"query_id": it.UUID, "index_rank": list(a.Ranking)}
}
