package bench

import (
	"bytes"
	"encoding/json"
	"fmt"

	"airqa/internal/files"
	"airqa/qa/dataset"
	"airqa/runlog"
)

// ReadPredictions calls read for each line of a file of predictions. read reports faults of the line; loaded means that
// the prediction counts nevertheless. It is an error if no line does.
func ReadPredictions(path string, read func(raw []byte, fault func(id, text string, loaded bool))) (faults []*dataset.Fault, err error) {
	usable, lines := 0, 0
	for block, err := range dataset.LineBlocks("predictions", path) {
		if err != nil {
			return nil, err
		}
		for n, raw := range block.Records() {
			lines++
			usable++
			read(raw, func(id, text string, loaded bool) {
				f := &dataset.Fault{File: path, Line: n, UUID: id, Text: text, Loaded: loaded}
				if !loaded {
					f.Costs = "prediction"
					usable--
				}
				faults = append(faults, f)
			})
		}
	}
	if lines > 0 && usable == 0 {
		return faults, fmt.Errorf("%s has no usable prediction; the first fault: %w", path, faults[0])
	}
	return faults, nil
}

// WriteAnswers writes the answers of a run as predictions in the benchmark's own format to a file, and returns their
// number. Items without an answer have no line. Of several repeats, the first counts.
func WriteAnswers(b Benchmark, path, dir, to string) (int, error) {
	data, err := b.Load(path)
	if err != nil {
		return 0, err
	}
	run, err := runlog.Open(dir)
	if err != nil {
		return 0, err
	}
	items := make(map[string]Item, len(data.Items))
	for _, it := range data.Items {
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
		if err := json.NewEncoder(&text).Encode(b.Prediction(it, rec.Answer)); err != nil {
			return 0, err
		}
		n++
	}
	return n, files.WriteFile(to, text.Bytes())
}

// NoNull returns an empty list for none, so that JSON has no null.
func NoNull(ids []string) []string {
	if ids == nil {
		return []string{}
	}
	return ids
}
