package batch

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/eval"
	"airqa/qa/dataset"
)

var cutSeeds = []string{
	`{"uuid":"a","answer":"x"}`, ` { "uuid" : "a" , "answer" : [1, -2.5e+3, {"k": null}], "repeat": 3 } `, `{}`, `{"uuid":"a","answer":NaN}`,
	`{"uuid":"a","answer":01}`, `{"uuid":"a","answer":"\ud83d\u0041\n"}`, `{"uuid":"a","answer":"` + "\xff" + `"}`, `{"uuid":"a","uuid":"b","answer":1}`,
	`{"uuid":"a","answer":[1,]}`, `{"uuid":"a","answer":{"x":1,}}`, `{"uuid":"a","answer":1}}`, `{"uuid":"a","answer":1.}`, `{"uuid":"a","answer":tru}`,
	`{"uuid":"","answer":[[],{}]}`, `{"uuid":"a","answer":-}`, `{"uuid":"a\u0000","answer":1}`, `{"answer":1,"uuid":"é","repeat":"1"}`, "{\"uuid\":\"a\tb\",\"answer\":1}",
}

// What the cutter accepts, encoding/json reads to the same.
func FuzzCutObject(f *testing.F) {
	for _, s := range cutSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		got := make(map[string]json.RawMessage)
		if !cutObject(src, func(k, v []byte) bool { got[string(bytes.ToValidUTF8(k, []byte("\uFFFD")))] = v; return true }) {
			return
		}
		want := make(map[string]json.RawMessage)
		if err := json.Unmarshal(src, &want); err != nil {
			t.Fatalf("%q is accepted, but %v", src, err)
		}
		if bytes.ContainsRune(src, '\uFFFD') || !bytes.Equal(src, bytes.ToValidUTF8(src, nil)) {
			return // runs of bad bytes in keys are replaced one by one there
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", src, diff)
		}
	})
}

// A prediction that is cut is the same as one that is decoded.
func FuzzCutPrediction(f *testing.F) {
	for _, s := range cutSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		got, ok := cutPrediction(src)
		if !ok {
			return
		}
		want, fault := decodePrediction(src)
		if fault != "" {
			t.Fatalf("%q is accepted, but %s", src, fault)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(prediction{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", src, diff)
		}
	})
}

// A question that is cut is the same as one that the dataset reader decodes without a fault.
func FuzzCutGold(f *testing.F) {
	const question = `{"uuid":"a","question":"q","answer_format":"","tags":["x"],"anchor_pdf":[],"reference_pdf":[],"conference":[],` +
		`"evaluator":{"eval_func":"eval_int_exact_match","eval_kwargs":{"gold":3.0}},"state":{"m":true},"reasoning_steps":[],"annotator":"x","more":1}`
	f.Add([]byte(question))
	for _, change := range [][2]string{{`"q"`, `""`}, {`["x"]`, `[1]`}, {`"tags"`, `"conference"`}, {`{"gold":3.0}`, `[]`}, {`true`, `1`}, {`eval_func`, `Eval_func`}} {
		f.Add(bytes.Replace([]byte(question), []byte(change[0]), []byte(change[1]), 1))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		uuid, e, ok := cutGold(src)
		if !ok {
			return
		}
		ex, faults, usable := dataset.Decode(src)
		if !usable || len(faults) > 0 {
			t.Fatalf("%q is accepted, but %v", src, faults)
		}
		if uuid != ex.UUID || e.Func != ex.Evaluator.Func || !bytes.Equal(e.Kwargs, ex.Evaluator.Kwargs) {
			t.Errorf("%q is %q %+v, want %q %+v", src, uuid, e, ex.UUID, ex.Evaluator)
		}
	})
}

// The usual forms are cut: decoding them takes ten times as long.
func TestUsualFormsAreCut(t *testing.T) {
	if p, ok := cutPrediction([]byte(cutSeeds[1])); !ok || string(p.uuid) != "a" || p.repeat != 3 {
		t.Errorf("the prediction is not cut: %+v", p)
	}
	d := goldDecoder{scorer: eval.New(eval.Config{})}
	for block, err := range dataset.Blocks("../testdata/synthetic.gold.jsonl") {
		if err != nil {
			t.Fatal(err)
		}
		for line, raw := range block.Records() {
			if _, _, ok := cutGold(raw); !ok {
				t.Fatalf("line %d is not cut: %s", line, raw)
			}
		}
		if out := d.block(block); len(out.faults) > 0 {
			t.Errorf("faults: %v", out.faults)
		}
	}
}
