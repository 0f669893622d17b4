package llm

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMask(t *testing.T) {
	m := newMask(newMark())
	a, b := m.text(`a "quoted" <text> `+"\n\x00é"), m.text("b")
	given := map[string]any{
		"joined": a + b, "again": b, "empty": m.text(""), "url": "data:x;base64," + m.base64([]byte("png")),
		"data": m.binary([]byte{0, 1, 2, 255}), "mine": "plain",
	}
	masked, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	lifted, err := m.lift(masked)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]string
	if err := json.Unmarshal(lifted, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"joined": `a "quoted" <text> ` + "\n\x00é" + "b", "again": "b", "empty": "", "url": "data:x;base64,cG5n",
		"data": base64.StdEncoding.EncodeToString([]byte{0, 1, 2, 255}), "mine": "plain",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lifted (-want +got):\n%s", diff)
	}
}
