package runlog

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/google/go-cmp/cmp"
)

// lines of every kind, as this program writes them and as others might.
var lines = []string{
	`{"type":"message","episode":"q#0","seq":2,"time":"2031-01-01T00:00:00Z","role":"user","parts":[{"text":"café ≤ \u003cb\u003e\n\t\"x\" \\ \/ \b\f\r"},{"observation":2},{"ref":"00"}],"images":[{"sha256":"ab","mime":"image/png","width":1,"height":2}]}`,
	`{"type":"message","episode":"q#0","seq":2,"time":"2031-01-01T00:00:00Z","role":"user","parts":[]}`,
	`{"type":"call","episode":"q#0","seq":4,"time":"2031-01-01T00:00:00.5+02:00","step":1,"shown":[{"first":0,"end":2}],"reply":{"text":"x","reasoning":"y","model":"m","id":"i","finish":"stop","usage":{"prompt":901,"completion":30,"cached":1,"reasoning":2,"estimated":true},"attempts":[{"started":"2031-01-01T00:00:00Z","seconds":1.25,"wait":-0.5,"status":200,"error":"server","charged":{"prompt":1,"completion":2}}],"tool_calls":[{"id":"c","name":"View","arguments":{"a":[1,"]"]}}],"sealed":{"a": 1},"from_cache":true},"kept":112,"called":{"name":"View","arguments":"x"},"others":[{"id":"a","text":"n"}],"unlabelled":true,"thought":{"first":11,"end":63},"action":{"name":"R","args":{"limit":5,"query":"a \\frac"},"text":"R()","latex":"l","start":74,"end":112},"parse_error":{"kind":"k","reason":"r","offset":1,"line":2,"column":3},"started":"2031-01-01T00:00:00Z","ended":"2031-01-01T00:00:00Z"}`,
	`{"type":"call","episode":"q#0","seq":4,"time":"2031-01-01T00:00:00Z","step":1,"shown":null,"reply":{"text":{"quoted":"\"\\xff\""},"usage":{"prompt":1,"completion":2}},"kept":0,"started":"2031-01-01T00:00:00Z","ended":"2031-01-01T00:00:00Z"}`,
	`{"type":"observation","episode":"q#0","seq":5,"time":"2031-01-01T00:00:00Z","step":1,"by":"program","action":{"name":"Q","args":null,"text":"Q()","start":0,"end":0},"status":"ok","text":"{\"score\": 0.5}\n(2 rows)","images":[],"cut":{"reason":"rows","rows_shown":1,"rows_total":-1,"tokens":3,"token_limit":4},"full":"f","hash":"h","hits":[{"rank":1,"id":"","paper_id":"p1","page":-1,"score":0.5,"beyond":true}],"touched":{"papers":["p"]},"started":"2031-01-01T00:00:00Z","ended":"2031-01-01T00:00:00Z"}`,
	`{"type":"observation","episode":"q#0","seq":5,"time":"2031-01-01T00:00:00Z","step":1,"Text":"other case","text":"twice","text":"😀 \ud83d\ude00 \ud83d"}`,
	`{ "seq": 5, "type":"observation","text":"spaces", "hits": [ ] , "step":01}`,
	`{"type":"observation","text":"` + "\xff\x01" + `"}`,
	`{"type":"call","step":1.0,"shown":[,]}`, `{"type":"call","step":-0,"kept":99999999999999999999}`, `{}`, ``, `{"type":"call","reply":{"text":"\q"}}`,
}

// Lines are decoded as by encoding/json, with the same errors.
func FuzzDecode(f *testing.F) {
	for _, l := range lines {
		f.Add([]byte(l))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		raw = append(raw, '\n')
		same[messageEvent](t, raw)
		same[callEvent](t, raw)
		same[observationEvent](t, raw)
		same[endEvent](t, raw)
		if got, want := jsonv1.Valid(raw), json.Valid(raw); got != want {
			t.Fatalf("%q: valid %v, encoding/json has %v", raw, got, want)
		}
	})
}

func same[E any](t *testing.T, raw []byte) {
	t.Helper()
	var want E
	got, errGot := decode[E](raw)
	errWant := json.Unmarshal(raw, &want)
	if fmt.Sprint(errGot) != fmt.Sprint(errWant) {
		t.Fatalf("%q: error %v, encoding/json has %v", raw, errGot, errWant)
	}
	if diff := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		t.Fatalf("%q (-encoding/json +decode):\n%s", raw, diff)
	}
}
