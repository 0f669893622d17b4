package candidate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor/candidate"
	"airqa/prompts"
	"airqa/qa"
)

func material(c candidate.Category) candidate.Material {
	m := candidate.Material{ID: candidate.ID{Category: c}, Paper: candidate.Paper{ID: "p", Title: "THE TITLE", Abstract: "THE ABSTRACT"}}
	if c.Element() == "" {
		return m
	}
	kind := c.Element()
	if kind == candidate.Sections {
		kind = candidate.Text
		m.Parts = append(m.Parts, candidate.Part{ID: "0", Kind: kind, Title: "FIRST HEADING", Text: "FIRST TEXT"})
	}
	m.Parts = append(m.Parts, candidate.Part{ID: "1", Kind: kind, Title: "THE CAPTION", Text: "{{.the}} CONTENT", Around: "THE PAGE"})
	return m
}

func forms(t *testing.T) candidate.Forms {
	t.Helper()
	f, err := candidate.ReadForms(prompts.Set{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Every category has a prompt with its own material and hints, and with nothing that the explorer must not know.
func TestRequest(t *testing.T) {
	for _, c := range candidate.Categories() {
		if c.Type() == candidate.Multiple {
			continue
		}
		m, err := material(c).Request(prompts.Set{})
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		named := c.Type() != candidate.Single
		if strings.Contains(m.Text, "THE TITLE") != named || strings.Contains(m.Text, "THE ABSTRACT") != named {
			t.Errorf("%s: title and abstract shown: %v", c, !named)
		}
		if e := c.Element(); e != "" && e != candidate.Image && !strings.Contains(m.Text, "{{.the}} CONTENT") {
			t.Errorf("%s: the content is not in the prompt", c)
		}
		if strings.Contains(m.Text, "question number") {
			t.Errorf("%s: the first question mentions others", c)
		}
		for _, name := range c.Prompts() {
			if _, err := (prompts.Set{}).Source(name); err != nil {
				t.Errorf("%s: %v", c, err)
			}
		}
	}
}

// The material decides about the hints: a figure that is seen or not, a further question, a paper to name or to describe.
func TestHints(t *testing.T) {
	text := func(change func(*candidate.Material), c candidate.Category) string {
		m := material(c)
		change(&m)
		message, err := m.Request(prompts.Set{})
		if err != nil {
			t.Fatal(err)
		}
		return message.Text
	}
	nothing := func(*candidate.Material) {}
	seen := text(func(m *candidate.Material) { m.Images = make([]qa.Image, 1) }, "single-image")
	unseen := text(nothing, "single-image")
	if !strings.Contains(seen, "visible in the figure") || !strings.Contains(unseen, "not the figure itself") {
		t.Error("the hints for a figure do not depend on whether the model sees it")
	}
	if !strings.Contains(text(func(m *candidate.Material) { m.Round = 2 }, "single-text"), "question number 3") {
		t.Error("a third question does not mention the first two")
	}
	if !strings.Contains(text(nothing, "single-metadata"), "Name the paper") || strings.Contains(text(nothing, "comprehensive-metadata"), "Name the paper") {
		t.Error("the hints for metadata name the wrong papers")
	}
	if !strings.Contains(text(nothing, "comprehensive-table"), "must find it among thousands") {
		t.Error("no hint to describe the paper")
	}
}

func TestParse(t *testing.T) {
	reply := "```txt\n[Question]: How\n many?\n[Answer]: 3\n[Evidence]:\n- \"three layers\"\n2) `four` heads\n```"
	got, err := material("single-sections").Parse(forms(t), reply)
	want := candidate.Draft{Question: "How many?", Answer: "3", Evidence: []string{"three layers", "`four` heads"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v; draft (-want +got):\n%s", err, diff)
	}
	got, err = material("retrieval").Parse(forms(t), "```\n[Question]: Which paper?\n```")
	if diff := cmp.Diff(candidate.Draft{Question: "Which paper?", Answer: "THE TITLE"}, got); diff != "" || err != nil {
		t.Errorf("%v; draft (-want +got):\n%s", err, diff)
	}
	for _, bad := range []string{"", "```\n[Question]: How?\n[Answer]: 3\n```", "```\n[Question]: " + strings.Repeat("long ", 400) + "\n[Answer]: 3\n[Evidence]: x\n```"} {
		if d, err := material("single-text").Parse(forms(t), bad); err == nil {
			t.Errorf("%.40q parses as %.80v", bad, d)
		}
	}
}
