package batch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"airqa/eval"
	"airqa/qa"
	"airqa/qa/dataset"
)

// plainText returns the content of a JSON string when that needs no decoding.
func plainText(raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' || bytes.IndexByte(raw, '\\') >= 0 || !utf8.Valid(raw) {
		return nil, false
	}
	return raw[1 : len(raw)-1], true
}

// goldLine is a question as scoring needs it.
type goldLine struct {
	file string
	line int
	gold *Gold
}

// goldBlock is what a block of questions holds.
type goldBlock struct {
	golds  []goldLine
	faults []*dataset.Fault
}

// goldDecoder reads questions. Its methods may be called by several goroutines.
type goldDecoder struct {
	scorer *eval.Scorer
	check  bool
}

func (d goldDecoder) block(b dataset.Block) goldBlock {
	out := goldBlock{golds: make([]goldLine, 0, bytes.Count(b.Data, []byte{'\n'})+1)}
	for line, raw := range b.Records() {
		uuid, e, ok := cutGold(raw)
		var texts []string
		if !ok {
			var ex qa.Example
			ex, texts, ok = dataset.Decode(raw)
			uuid, e = ex.UUID, ex.Evaluator
		}
		if ok {
			gold := NewGold(d.scorer, uuid, e)
			out.golds = append(out.golds, goldLine{b.File, line, gold})
			if d.check {
				texts = append(texts, gold.prepared.Faults()...)
			}
		}
		for _, text := range texts {
			out.faults = append(out.faults, &dataset.Fault{File: b.File, Line: line, UUID: uuid, Text: text, Loaded: ok})
		}
	}
	return out
}

// allFields are the bits of all keys that a question has.
const allFields = 255

// goldField returns the first letter that the value of a key must have and a bit of its own; 0 for a key that a question
// may lack. [dataset.Decode] asks for the same.
func goldField(key []byte) (kind, bit byte) {
	switch string(key) {
	case "uuid":
		return '"', 1
	case "question":
		return '"', 2
	case "answer_format":
		return '"', 4
	case "evaluator":
		return '{', 8
	case "tags":
		return '[', 16
	case "anchor_pdf":
		return '[', 32
	case "reference_pdf":
		return '[', 64
	case "conference":
		return '[', 128
	}
	return 0, 0
}

// cutGold reads the usual form of a question. For anything unusual, a fault above all, ok is false.
func cutGold(raw []byte) (uuid string, e qa.Evaluator, ok bool) {
	var id, evaluator []byte
	var seen byte
	ok = cutObject(raw, func(key, value []byte) bool {
		kind, bit := goldField(key)
		if bit == 0 {
			return usual(key, value)
		}
		if value[0] != kind || seen&bit != 0 {
			return false
		}
		seen |= bit
		switch string(key) {
		case "uuid":
			var plain bool
			id, plain = plainText(value)
			return plain && len(id) > 0
		case "question":
			return len(value) > len(`""`)
		case "evaluator":
			evaluator = value
		}
		return kind != '[' || allTexts(value)
	})
	if !ok || seen != allFields {
		return "", e, false
	}
	e, ok = cutEvaluator(evaluator)
	return string(id), e, ok
}

// usual tells whether a key that may be missing has a value of its kind.
func usual(key, value []byte) bool {
	switch string(key) {
	case "reasoning_steps":
		return value[0] == '[' && allTexts(value)
	case "annotator":
		return value[0] == '"'
	case "state":
		return value[0] == '{' && cutObject(value, func(_, v []byte) bool { return v[0] == 't' || v[0] == 'f' })
	}
	return true
}

func allTexts(list []byte) bool {
	return cutArray(list, func(v []byte) bool { return v[0] == '"' })
}

func cutEvaluator(raw []byte) (e qa.Evaluator, ok bool) {
	keys := 0
	ok = cutObject(raw, func(key, value []byte) bool {
		keys++
		switch string(key) {
		case "eval_func":
			name, plain := plainText(value)
			if e.Func = functions[string(name)].name; e.Func == "" {
				e.Func = string(name)
			}
			return plain && e.Func != ""
		case "eval_kwargs":
			e.Kwargs = value
			return value[0] == '{'
		}
		return false
	})
	return e, ok && keys == 2 && e.Func != "" && e.Kwargs != nil
}

// noRepeat is the repeat of a prediction that has none: the only answer to its question.
const noRepeat = -1

// prediction is a line of predictions; its texts are parts of the line.
type prediction struct {
	line, repeat int
	uuid, answer []byte
}

// predictionBlock is what a block of predictions holds.
type predictionBlock struct {
	predictions []prediction
	faults      []*dataset.Fault
	file        string
}

func decodePredictions(b dataset.Block) predictionBlock {
	out := predictionBlock{file: b.File, predictions: make([]prediction, 0, bytes.Count(b.Data, []byte{'\n'})+1)}
	for line, raw := range b.Records() {
		p, ok := cutPrediction(raw)
		fault := ""
		if !ok {
			p, fault = decodePrediction(raw)
		}
		if fault != "" {
			out.faults = append(out.faults, &dataset.Fault{File: b.File, Line: line, Text: fault})
			continue
		}
		p.line = line
		out.predictions = append(out.predictions, p)
	}
	return out
}

// cutPrediction reads the usual form of a prediction. For anything unusual ok is false.
func cutPrediction(raw []byte) (p prediction, ok bool) {
	p.repeat = noRepeat
	ok = cutObject(raw, func(key, value []byte) bool {
		plain := true
		switch string(key) {
		case "uuid":
			p.uuid, plain = plainText(value)
		case "answer":
			p.answer = value
		case "repeat":
			p.repeat, plain = repeatNumber(value)
		}
		return plain
	})
	return p, ok && len(p.uuid) > 0 && p.answer != nil
}

// repeatNumber reads a whole number from 0.
func repeatNumber(raw []byte) (int, bool) {
	n, err := strconv.ParseUint(string(raw), 10, 31)
	return int(n), err == nil
}

// notNumber finds what Python writes for floats that JSON does not have.
var notNumber = regexp.MustCompile(`\b(NaN|Infinity)\b`)

// decodePrediction reads any prediction, or says what is wrong with it.
func decodePrediction(raw []byte) (p prediction, fault string) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		if name := notNumber.Find(raw); name != nil {
			return p, string(name) + " is not JSON, although Python's json.dumps writes it; write null or a string"
		}
		return p, "not an object with uuid and answer: " + err.Error()
	}
	var uuid string
	if err := json.Unmarshal(keys["uuid"], &uuid); keys["uuid"] != nil && err != nil {
		return p, `"uuid" is not a text`
	}
	p = prediction{repeat: noRepeat, uuid: []byte(uuid), answer: keys["answer"]}
	if uuid == "" || p.answer == nil {
		return p, `"uuid" or "answer" is missing` + others(keys)
	}
	if number, given := keys["repeat"]; given {
		var ok bool
		if p.repeat, ok = repeatNumber(number); !ok {
			return p, `"repeat" is not a whole number from 0`
		}
	}
	return p, ""
}

// others names the keys of an object that is no prediction, to tell what else it may be.
func others(keys map[string]json.RawMessage) string {
	const most = 6
	names := slices.Sorted(maps.Keys(keys))
	if len(names) == 0 {
		return ""
	}
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return fmt.Sprintf(" (the keys are %s)", strings.Join(names, ", "))
}
