package stream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"airqa/eval"
	"airqa/internal/lazyregexp"
	"airqa/internal/python"
	"airqa/qa/dataset"
)

// noRepeat marks a prediction without a repeat: the only answer to its question.
const noRepeat = -1

// prediction is one line of a predictions file.
type prediction struct {
	line, repeat int
	uuid         string
	answer       eval.Prediction
}

// predictionBlock is a decoded block of predictions.
type predictionBlock struct {
	predictions []prediction
	faults      []*dataset.Fault
	file        string
}

func decodePredictions(b dataset.Block) predictionBlock {
	out := predictionBlock{file: b.File, predictions: make([]prediction, 0, bytes.Count(b.Data, []byte{'\n'})+1)}
	for line, raw := range b.Records() {
		p, fault := decodePrediction(raw)
		if fault != "" {
			out.faults = append(out.faults, &dataset.Fault{Place: dataset.Place{File: b.File, Line: line}, Text: fault})
			continue
		}
		p.line = line
		out.predictions = append(out.predictions, p)
	}
	return out
}

// notNumber matches the floats that Python writes and JSON does not allow.
var notNumber = lazyregexp.New(`\b(NaN|Infinity)\b`)

// notJSON returns the name of a Python float that makes a line invalid JSON, or "".
func notJSON(raw []byte) string {
	if !bytes.Contains(raw, []byte("NaN")) && !bytes.Contains(raw, []byte("Infinity")) || json.Valid(raw) {
		return ""
	}
	return string(notNumber.Find(raw))
}

// decodePrediction parses a prediction or returns its fault. It parses the line only once, with Python's value types,
// so the answer can be scored as is.
func decodePrediction(raw []byte) (p prediction, fault string) {
	if name := notJSON(raw); name != "" {
		return p, name + " is not JSON, although Python's json.dumps writes it; write null or a string"
	}
	v, err := python.FromJSON(raw)
	if err != nil {
		return p, "not an object with uuid and answer: " + err.Error()
	}
	keys, ok := v.(*python.Dict)
	if !ok {
		return p, "not an object with uuid and answer, but a " + python.Type(v)
	}
	uuid, given := keys.Get("uuid")
	if p.uuid, ok = uuid.(string); given && !ok && uuid != nil {
		return p, `"uuid" is not a text`
	}
	answer, given := keys.Get("answer")
	if p.uuid == "" || !given {
		return p, `"uuid" or "answer" is missing` + others(keys)
	}
	p.answer = eval.Literal(answer)
	if p.repeat, ok = repeatOf(keys); !ok {
		return p, `"repeat" is not a whole number from 0`
	}
	return p, ""
}

// repeatOf reads an integer from 0.
func repeatOf(keys *python.Dict) (int, bool) {
	v, given := keys.Get("repeat")
	if !given {
		return noRepeat, true
	}
	n, ok := v.(int64)
	return int(n), ok && 0 <= n && n <= math.MaxInt32
}

// others lists the first keys of an object that is not a prediction, to show what it may be.
func others(keys *python.Dict) string {
	const most = 6
	var names []string
	for k := range keys.All() {
		if len(names) == most {
			names = append(names, "…")
			break
		}
		names = append(names, python.Str(k))
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(" (the keys are %s)", strings.Join(names, ", "))
}

// Find reads a file of predictions up to the one for a question and repeat. One without a repeat is the first.
func Find(path, uuid string, repeat int) (eval.Prediction, error) {
	for block, err := range blocks(path) {
		if err != nil {
			return eval.Prediction{}, err
		}
		for _, p := range decodePredictions(block).predictions {
			if p.uuid == uuid && max(p.repeat, 0) == repeat {
				return p.answer, nil
			}
		}
	}
	return eval.Prediction{}, fmt.Errorf("%s has no prediction for %s", path, uuid)
}
