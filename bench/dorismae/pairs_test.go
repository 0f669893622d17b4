package dorismae_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/bench/dorismae"
)

const dorisPairs = `{
"Test_set": [
 {"aspect_id": "1", "abstract_id": 2, "human_annotation": {"annotator_1": 0, "annotator_2": 2, "annotator_3": 5}},
 {"aspect_id": "9", "abstract_id": 0, "human_annotation": {"annotator_1": 0}}],
"Corpus": [{"original_abstract": "A", "title": "a"}, {"original_abstract": "B"}, {"original_abstract": "C"}],
"aspect_id2aspect": {"0": "shores", "1": "radar"},
"Query": [
 {"query_text": "q", "candidate_pool": [0, 1, 7], "aspects": {"0": ["1"]}},
 {"query_text": "r", "candidate_pool": [1, 2], "aspects": {"1": []}}],
"Annotation": [{"aspect_id": "0", "abstract_id": 0, "score": 2}, {"aspect_id": "1", "abstract_id": 0, "score": -1}]
}`

func names(pairs []dorismae.Pair) string {
	var list []string
	for _, p := range pairs {
		list = append(list, fmt.Sprintf("%s/%d:%s", p.AspectID, p.Abstract.ID, p.Abstract.Text))
	}
	return strings.Join(list, " ")
}

func TestDORISPairs(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "d.json"), filepath.Join(dir, "other.json")
	for file, text := range map[string]string{path: dorisPairs, other: `[{"aspect_id": "1", "abstract_id": 0, "gpt_response": "CONCUR", "score": 2}]`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d, err := dorismae.Load(path, dorismae.LoadOptions{Test: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(d.Pairs(nil)), "0/0:A 1/0:A 0/1:B 1/1:B 1/2:C"; got != want {
		t.Errorf("pairs %s, want %s", got, want)
	}
	if got, want := names(d.Pairs([]int{1})), "1/1:B 1/2:C"; got != want {
		t.Errorf("pairs of the second query %s, want %s", got, want)
	}
	if pairs := d.Pairs([]int{1}); len(pairs[0].Within) != 1 || pairs[0].Within[0] != "shores" || pairs[0].Aspect != "radar" {
		t.Errorf("a sub-aspect without its aspect: %+v", pairs[0])
	}
	if got := names(d.TestPairs()); got != "1/2:C" || len(d.Judged) != 2 || len(d.Judged[0].Scores) != 2 {
		t.Errorf("test pairs %s of %+v", got, d.Judged)
	}
	if s, ok := d.Annotation("0", 0); s != 2 || !ok {
		t.Errorf("annotation %d %v", s, ok)
	}
	if _, ok := d.Annotation("1", 0); ok {
		t.Error("an unparsed annotation has a score")
	}
	d, err = dorismae.Load(path, dorismae.LoadOptions{Annotations: other})
	if s, ok := d.Annotation("1", 0); err != nil || s != 2 || !ok || d.Annotated != 1 || d.Items[0].Gold.Grades[0] != 2 || len(d.Judged) != 0 {
		t.Errorf("other annotations: %d %v, %+v, %v", s, ok, d.Items[0].Gold, err)
	}
	for _, bad := range []string{path, other + "x"} {
		if _, err := dorismae.Load(path, dorismae.LoadOptions{Annotations: bad}); err == nil || !strings.Contains(err.Error(), "read annotations") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
