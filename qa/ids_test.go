package qa_test

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
)

func TestPaperUUID(t *testing.T) {
	a := qa.PaperUUID("Attention Is All You Need", "neurips2017")
	if b := qa.PaperUUID("attention is all-you need!", "NeurIPS2017"); a != b {
		t.Errorf("spelling changed the id: %s and %s", a, b)
	}
	if c := qa.PaperUUID("Attention Is All You Need", ""); c == a || c != qa.PaperUUID("Attention Is All You Need", qa.Uncategorized) {
		t.Errorf("an unknown venue gives %s", c)
	}
	if !qa.IsUUID(a) || qa.IsUUID("../x") || qa.IsUUID("{"+a+"}") || qa.IsUUID(strings.ReplaceAll(a, "-", "")) {
		t.Error("IsUUID accepts an invalid uuid or rejects a valid one")
	}
}

// Titles in other scripts have distinct ids, even if they share their few Latin letters or digits.
func TestPaperUUIDsOfOtherScripts(t *testing.T) {
	titles := []string{
		"", "BERT", "2022", "波浪能转化装置输出功率的研究", "水化学研究", "基于BERT的文本分类研究", "基于BERT的情感分析研究", "Исследование методов", "Ένα άρθρο",
		"بحث في الذكاء", "日本語の論文", "한국어 논문", "2022年报告书的研究", "?!", "…",
	}
	seen := map[string]string{}
	for _, title := range titles {
		id := qa.PaperUUID(title, "")
		if other, ok := seen[id]; ok {
			t.Errorf("%q and %q are one paper", title, other)
		}
		seen[id] = title
	}
	if qa.PaperUUID("Исследование: методов", "acl2023") != qa.PaperUUID("ИССЛЕДОВАНИЕ МЕТОДОВ", "ACL2023") {
		t.Error("case and punctuation changed the id")
	}
	// Latin titles keep the rule's id, including those with accents and symbols, and so do titles that are half Latin.
	for title, bare := range map[string]string{"GPT 水化学": "gpt", "Éèà b": "b", "A — — —": "a", "Ünïcode é": "ncode", "λ-Calculus for All": "Calculus for All", "GPT—4 ≠ 3": "gpt 43"} {
		if qa.PaperUUID(title, "acl2023") != qa.PaperUUID(bare, "acl2023") {
			t.Errorf("%q has another id than the rule's", title)
		}
	}
	if !qa.SameTitle("A b: C", "a B c") || qa.SameTitle("C++", "C") == qa.SameTitle("λ-C", "C") {
		t.Error("SameTitle compares something else than letters and digits")
	}
	if qa.SameTitle("GPT-3", "GPT-4") || qa.SameTitle("Cafe\u0301", "Cafe") {
		t.Error("SameTitle ignores digits or accents")
	}
}

func TestVenueYear(t *testing.T) {
	tests := []struct {
		venue string
		year  int
		want  string
	}{
		{"NeurIPS", 2017, "neurips2017"},
		{"IEEE/CVF CVPR", 2016, "ieeecvfcvpr2016"},
		{"", 2017, "uncategorized"},
		{"ACL", 0, "acl"},
	}
	for _, tt := range tests {
		if got := qa.VenueYear(tt.venue, tt.year); got != tt.want {
			t.Errorf("VenueYear(%q, %d) = %q, want %q", tt.venue, tt.year, got, tt.want)
		}
	}
}

// The rule yields the id of every released metadata file (spec: 3,083 papers of ACL 2023).
func TestReleasedIDs(t *testing.T) {
	name := "../../shared/data/airqa/metadata-acl2023.zip"
	if _, err := os.Stat(name); err != nil {
		t.Skip("the released metadata is not beside the checkout")
	}
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	n := 0
	for _, f := range z.File {
		if path.Ext(f.Name) != ".json" {
			continue
		}
		var m struct {
			UUID    string `json:"uuid"`
			Title   string `json:"title"`
			PDFPath string `json:"pdf_path"`
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewDecoder(in).Decode(&m); err != nil {
			t.Fatal(err)
		}
		_ = in.Close()
		if got := qa.PaperUUID(m.Title, path.Base(path.Dir(m.PDFPath))); got != m.UUID {
			t.Errorf("%s: %s, want %s", m.Title, got, m.UUID)
		}
		n++
	}
	if n != 3083 {
		t.Errorf("%d metadata files, want 3083", n)
	}
}

// Ids of parts follow the documented rule; the name strings are spelled out here.
func TestPartIDs(t *testing.T) {
	p := qa.PaperUUID("A", "acl2023")
	ids := []string{
		qa.PageUUID(p, 1), qa.PartUUID(p, 1, "chunk", 1), qa.PartUUID(p, 1, "table", 1),
		qa.SectionUUID(p, 0), qa.ReferenceUUID(p, 1),
	}
	seen := map[string]bool{}
	for _, id := range ids {
		if !qa.IsUUID(id) || seen[id] {
			t.Errorf("id %q is not a unique uuid", id)
		}
		seen[id] = true
	}
	// Python: uuid.uuid5(uuid.NAMESPACE_DNS, name) of "a-acl2023", and of that id with "_page_1", "_page_1_chunk_1", ...
	want := []string{
		"fb20f0ae-d310-5ffc-80ff-776e85c31111", "ab08e446-23af-5029-ba0a-7f23e9861c00", "f274307e-36d6-51f3-a26b-1268dcdcd449", "1d5bca78-b3da-5c9f-9252-392e584bd685", "0f279d0a-8615-56d9-a9b4-3b1bdbb00a89",
	}
	if diff := cmp.Diff(want, ids); p != "7c807ea1-811b-5e37-9b97-c430f10ef66d" || diff != "" {
		t.Errorf("paper %s, parts (-want +got):\n%s", p, diff)
	}
	if got, want := qa.CopyUUID(p, "00ff"), "d88c9750-6799-5a5a-b80f-eb6974f91fd9"; got != want {
		t.Errorf("id of a copy %s, want %s", got, want)
	}
}
