package bench_test

import (
	"strings"
	"testing"

	"airqa/bench"
	"airqa/bench/argscichat"
)

func TestShow(t *testing.T) {
	data, err := argscichat.Load("../fixtures/argscichat")
	if err != nil {
		t.Fatal(err)
	}
	const id = "Tern: Reading Tables in Scanned Reports_1"
	got, err := bench.Show(data, id, "rationales")
	if err != nil {
		t.Fatal(err)
	}
	want := "[s7] We release the pages and the code.\n\nuser: Hello! What is this paper about?\n" +
		"assistant: Hi! It is about a reader of tables in scans, called Tern.\n  supported by: We present Tern, a reader that finds cells without lines.\n\n" +
		"question: How much data does it need for a new archive?"
	if !strings.HasSuffix(got, want) || strings.Contains(got, "Twelve") {
		t.Errorf("got\n%s\nwant the end\n%s", got, want)
	}
	messages, err := bench.Show(data, "Reports_1", "messages")
	if err != nil || strings.Contains(messages, "supported by") || !strings.Contains(messages, "user: Hello!") {
		t.Errorf("messages: %v\n%s", err, messages)
	}
	if none, err := bench.Show(data, "Reports_1", "none"); err != nil || strings.Contains(none, "user:") {
		t.Errorf("none: %v\n%s", err, none)
	}
	for _, id := range []string{"Reports_", "nothing"} {
		if _, err := bench.Show(data, id, "none"); err == nil {
			t.Errorf("%s: no error", id)
		}
	}
}
