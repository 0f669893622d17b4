package candidate_test

import (
	"fmt"
	"strings"
	"testing"

	"airqa/extractor/candidate"
	"airqa/internal/testkit/golden"
	"airqa/prompts"
	"airqa/qa"
)

// A golden file has the requests to explorer and tracker: the context of every kind of element, with and without caption,
// content and the text around it; figures that the model sees and does not see; further questions about the same material.
func TestRequestsGolden(t *testing.T) {
	var b strings.Builder
	shorter := strings.NewReplacer(strings.Repeat("two words\n", 50), "[50 lines]", strings.Repeat("a page\n", 50), "[50 lines]")
	add := func(name string, m candidate.Material, from string) {
		message, err := m.Request(prompts.Set{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text := message.Text[strings.Index(message.Text, from):]
		fmt.Fprintf(&b, "##### %s\n%s\n\n", name, shorter.Replace(text))
	}
	for _, c := range candidate.Categories() {
		if c.Type() == candidate.Multiple {
			continue
		}
		m := material(c)
		add(string(c), m, "")
		m.Round = 2
		m.Images = make([]qa.Image, 1)
		add(string(c)+", third question, seen", m, "Rules:")
		for i := range m.Parts {
			m.Parts[i].Title, m.Parts[i].Around, m.Parts[i].Text = " \n", "", strings.Repeat("two words\n", 2000)
		}
		add(string(c)+", long and without caption", m, "=====")
		for i := range m.Parts {
			m.Parts[i].Title, m.Parts[i].Around, m.Parts[i].Text = " A caption ", strings.Repeat("a page\n", 1000), ""
		}
		add(string(c)+", without content", m, "=====")
	}
	message, err := candidate.Draft{Question: "How many?", Answer: "{{.three}}"}.TrackRequest(prompts.Set{})
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "requests.txt", b.String()+"##### tracker\n"+message.Text+"\n")
}
