package dataset_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/qa/dataset"
)

// The format is detected from the beginning of a file, whatever its suffix.
func TestForms(t *testing.T) {
	second := strings.Replace(good, `"u1"`, `"u2"`, 1)
	indented := strings.ReplaceAll(good, `,"`, ",\n  \"")
	height := strings.Count(indented, "\n")
	tests := []struct {
		name, text string
		want       []string // UUIDs
		fault      string   // position and text of the only fault
	}{
		{"lines", good + "\n" + second, []string{"u1", "u2"}, ""},
		{"array", "\ufeff[\n" + good + ",\n" + second + "\n]\n", []string{"u1", "u2"}, ""},
		{"array on one line", "[" + good + "," + second + "]", []string{"u1", "u2"}, ""},
		{"array with a fault", "[" + indented + ",\n\n 7]", []string{"u1"}, fmt.Sprintf(":%d: not a JSON object", height+3)},
		{"indented object", indented, []string{"u1"}, ""},
		{"indented objects", indented + "\n" + strings.Replace(indented, "u1", "u2", 1), []string{"u1", "u2"}, ""},
		{"lines, the first one cut off", good[:60] + "\n" + second, []string{"u2"}, ":1: not a JSON object"},
	}
	for _, tt := range tests {
		for _, name := range []string{"q.jsonl", "q.json", "q.txt"} {
			t.Run(tt.name+" "+name, func(t *testing.T) {
				list, faults, err := dataset.Load(write(t, name, tt.text))
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, ex := range list {
					got = append(got, ex.UUID)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if len(faults) > 1 || (len(faults) == 1) != (tt.fault != "") || len(faults) == 1 && !strings.Contains(faults[0].Error(), tt.fault) {
					t.Errorf("faults %v, want %q", faults, tt.fault)
				}
			})
		}
	}
}

// records are the records of a file, one a line, and the notes.
func records(t *testing.T, path string) (lines []string, notes string) {
	t.Helper()
	for r, err := range dataset.Records(path) {
		if err != nil {
			return lines, err.Error()
		}
		lines = append(lines, fmt.Sprintf("%d %s%s", r.Line, r.Raw, r.Fault))
		notes += r.Note
	}
	return lines, notes
}

// One table in several forms has the same records.
func TestTable(t *testing.T) {
	const table = "id,Question,Gold Answer,Paper(s),note\r\n" +
		"c1,\"How many,\r\nexactly?\",8,Köln,x\r\n" +
		",Why?\r\n" +
		",,,,\r\n" +
		"c2,a,b,c,d,e\r\n"
	want := []string{
		`2 {"answer":"8","note":"x","papers":"Köln","question":"How many,\nexactly?","uuid":"c1"}`, `4 {"question":"Why?"}`,
		"6 6 cells for 5 columns: enclose text that contains the separator in double quotes",
	}
	utf16 := func(text string, low, high int) []byte {
		raw := make([]byte, 2)
		raw[low], raw[high] = 0xff, 0xfe
		for _, r := range text {
			pair := make([]byte, 2)
			pair[low], pair[high] = byte(r), byte(r>>8)
			raw = append(raw, pair...)
		}
		return raw
	}
	other := func(comma string) string {
		quoted := strings.Replace(table, "\"How many,\r\nexactly?\"", "QUOTED", 1)
		return strings.Replace(strings.ReplaceAll(quoted, ",", comma), "QUOTED", "\"How many,\r\nexactly?\"", 1)
	}
	for name, tt := range map[string]struct{ text, note string }{
		"commas":       {table, "a table separated by commas: uuid (column \"id\"), question (column \"Question\"), answer (column \"Gold Answer\"), papers (column \"Paper(s)\"); columns not used: \"note\" (known: " + dataset.Fields + ")"},
		"semicolons":   {other(";"), "a table separated by semicolons"},
		"tabs":         {other("\t"), "a table separated by tabs"},
		"lines":        {strings.ReplaceAll(table, "\r\n", "\n"), "a table separated by commas"},
		"mark":         {"\ufeff" + table, "a table separated by commas"},
		"little UTF16": {string(utf16(table, 0, 1)), "UTF-16, a table separated by commas"},
		"big UTF16":    {string(utf16(table, 1, 0)), "UTF-16, a table separated by commas"},
		"no mark":      {string(utf16(table, 0, 1)[2:]), "UTF-16, a table separated by commas"},
		"Windows-1252": {strings.ReplaceAll(table, "ö", "\xf6"), "Windows-1252, because line 3 is not UTF-8 (“Köln”; if that is wrong, save the file as UTF-8), a table"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, file := range []string{"q.csv", "q.txt"} {
				got, note := records(t, write(t, file, tt.text))
				if diff := cmp.Diff(want, got); diff != "" || !strings.HasPrefix(note, tt.note) {
					t.Errorf("%s: note %q, records (-want +got):\n%s", file, note, diff)
				}
			}
		})
	}
	got, _ := records(t, write(t, "q.csv", "sep=;\r\n"+other(";")))
	if len(got) != 3 || !strings.HasPrefix(got[0], "3 ") {
		t.Errorf("behind a line for Excel: %q", got)
	}
}

// The meaning of a column does not depend on case, spaces and punctuation.
func TestField(t *testing.T) {
	for name, want := range map[string]string{
		"Question": "question", " user_input": "question", "PROMPT": "question", "Gold Answer": "answer", "ground-truth": "answer", "goldAnswer": "answer",
		"Expected output": "answer", "answers": "answers", "Paper(s)": "papers", "File name": "papers", "document.id": "papers", "ID": "uuid",
		"reference": "references", "Answer Format": "answer_format", "eval_func": "eval_func", "comment": "", "": "",
	} {
		if got := dataset.Field(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// Texts that cannot be decoded are refused with the line.
func TestEncodings(t *testing.T) {
	for _, name := range []string{"q.csv", "q.jsonl"} {
		head := "question\n"
		if name == "q.jsonl" {
			head = `{"question": "Why?"}` + "\n"
		}
		for text, want := range map[string]string{
			head + "Köln?\nZ\xfcrich?\n":                 "line 3 is not UTF-8, but other lines are",
			head + "Z\xfcrich?\n\x81?\n":                 "line 3 is neither UTF-8 nor Windows-1252",
			"q\x00u\x00e\x00\n\x00?\x00\x00\x00":         "not a text file: save it as UTF-8",
			"\xff\xfeq\x00\x00\x00":                      "not a text file: save it as UTF-8",
			"PK\x03\x04\x00\xff":                         "from a spreadsheet, save it as CSV",
			head + strings.Repeat("é", 200_000) + "\x80": "line 2 is not UTF-8, but other lines are",
		} {
			if _, got := records(t, write(t, name, text)); !strings.Contains(got, want) {
				t.Errorf("%s, %.40q: got %q, want %q", name, text, got, want)
			}
		}
	}
	text := `{"question": "` + strings.Repeat("é", 300_000) + `"}` + "\n"
	if got, note := records(t, write(t, "q.jsonl", text+text)); len(got) != 2 || note != "" {
		t.Errorf("%d records of a long text, note %q", len(got), note)
	}
}

func TestUnreadableForms(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{"a table of something else", "q.csv", "name,year\na,1\n", `no question column: the first line is "name,year"; known columns: question, answer`},
		{"a table with a stray quote", "q.csv", "question,answer\nWhy\"?,1\n", "parse error on line 2"},
		{"an array without an end", "q.json", "[" + good, "unterminated array"},
		{"an array with a hole", "q.json", "[" + good + ",\n}]", "q.json:2: question 2 is not JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := records(t, write(t, tt.file, tt.text)); !strings.Contains(err, tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
}

// Fields with a default receive it, and missing fields are reported in one line.
func TestDefaults(t *testing.T) {
	list, faults, err := dataset.Load(write(t, "q.jsonl", `{"question": "How many?"}`))
	if err != nil || len(list) != 1 || list[0].UUID != qa.QuestionUUID("How many?") {
		t.Fatal(list, err)
	}
	want := "missing uuid, answer_format, tags, anchor_pdf, reference_pdf, conference, evaluator (its answers stay unscored)"
	if len(faults) != 1 || faults[0].Text != want || !faults[0].Loaded {
		t.Errorf("faults = %v", faults)
	}
	raw, err := dataset.Lines(list)
	if err != nil || strings.Contains(string(raw), "evaluator") {
		t.Fatalf("%s, %v", raw, err)
	}
	again, _, err := dataset.Load(write(t, "again.jsonl", string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(list, again); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

// The example in messages is a usable question without faults.
func TestLineExample(t *testing.T) {
	if _, _, usable := dataset.Decode([]byte(dataset.LineExample)); !usable {
		t.Error("the example cannot be used")
	}
}

// The example of docs/formats/input.md can be pasted into a file unchanged.
func TestDocumentedExample(t *testing.T) {
	raw, err := os.ReadFile("../../docs/formats/input.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(raw), "```json\n")
	block, _, _ = strings.Cut(block, "```")
	list, faults, err := dataset.Load(write(t, "q.jsonl", block))
	if err != nil || !found || len(list) != 1 || len(faults) > 0 || !qa.IsUUID(list[0].AnchorPDF[0]) {
		t.Errorf("%v, %v, %v", list, faults, err)
	}
}
