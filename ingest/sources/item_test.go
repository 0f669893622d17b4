package sources_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/ingest/sources"
)

const sum = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

func TestParse(t *testing.T) {
	tests := []struct {
		name, text string
		want       sources.Item
		err        string
	}{
		{"id", "2005.11401", sources.Item{URL: "https://arxiv.org/pdf/2005.11401", Name: "2005.11401"}, ""},
		{"version", " 2005.11401v4 ", sources.Item{URL: "https://arxiv.org/pdf/2005.11401v4", Name: "2005.11401v4"}, ""},
		{"old id", "arXiv:cs/0112017", sources.Item{URL: "https://arxiv.org/pdf/cs/0112017", Name: "cs_0112017"}, ""},
		{"old id with class", "math.GT/0309136v1", sources.Item{URL: "https://arxiv.org/pdf/math.GT/0309136v1", Name: "math.GT_0309136v1"}, ""},
		{"DOI of arXiv", "https://doi.org/10.48550/arXiv.2005.11401", sources.Item{URL: "https://arxiv.org/pdf/2005.11401", Name: "2005.11401"}, ""},
		{"DOI of ACL", "doi:10.18653/v1/2023.acl-long.1", sources.Item{URL: "https://aclanthology.org/2023.acl-long.1.pdf", Name: "2023.acl-long.1"}, ""},
		{"DOI with a path", "10.18653/v1/../../x", sources.Item{}, "arXiv and the ACL Anthology only"},
		{"DOI of others", "10.1145/3292500.3330701", sources.Item{}, "download the PDF"},
		{"abstract", "https://arxiv.org/abs/2005.11401", sources.Item{URL: "https://arxiv.org/pdf/2005.11401", Name: "2005.11401"}, ""},
		{"PDF at arXiv", "http://www.arxiv.org/pdf/2005.11401v2.pdf#page=3", sources.Item{URL: "https://arxiv.org/pdf/2005.11401v2", Name: "2005.11401v2"}, ""},
		{"URL", "https://aclanthology.org/2023.acl-long.1.pdf#x", sources.Item{URL: "https://aclanthology.org/2023.acl-long.1.pdf", Name: "2023.acl-long.1"}, ""},
		{"query", "https://openreview.net/pdf?id=Xy_z-9", sources.Item{URL: "https://openreview.net/pdf?id=Xy_z-9", Name: "pdf_id_Xy_z-9"}, ""},
		{"no path", "https://example.org", sources.Item{URL: "https://example.org", Name: "example.org"}, ""},
		{"traversal in the URL", "https://example.org/a/..%2F..%2Fetc%2Fpasswd", sources.Item{URL: "https://example.org/a/..%2F..%2Fetc%2Fpasswd", Name: "passwd"}, ""},
		{"all", "2005.11401 SHA256:" + strings.ToUpper(sum) + " My paper.PDF # why", sources.Item{URL: "https://arxiv.org/pdf/2005.11401", SHA256: sum, Name: "My_paper"}, ""},
		{"name alone", "2005.11401 ../../x", sources.Item{URL: "https://arxiv.org/pdf/2005.11401", Name: "x"}, ""},

		{"empty", "# only a comment", sources.Item{}, "nothing to fetch"},
		{"word", "attention", sources.Item{}, "neither the URL of a PDF nor an arXiv id"},
		{"file", "file:///etc/passwd", sources.Item{}, "only http and https"},
		{"ftp", "ftp://example.org/x.pdf", sources.Item{}, "only http and https"},
		{"no host", "https:///x.pdf", sources.Item{}, "no host"},
		{"password", "https://me:secret@example.org/x.pdf", sources.Item{}, "me:xxxxx@example.org"},
		{"short sum", "2005.11401 sha256:abcd", sources.Item{}, "64 hexadecimal digits"},
		{"no name", "2005.11401 ..", sources.Item{}, "not a valid file name"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := sources.Parse(tt.text)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "secret") {
					t.Fatalf("error %v, want %q in it", err, tt.err)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(sources.Item{})); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestReadList(t *testing.T) {
	list := "\ufeff# papers\n\n2005.11401\n  https://example.org/a.pdf  # good\n"
	t.Chdir(t.TempDir())
	read := func(text string) ([]sources.Item, error) {
		write(t, "list.txt", text)
		return sources.ReadList("list.txt")
	}
	items, err := read(list)
	if err != nil || len(items) != 2 {
		t.Fatalf("%v, %d items", err, len(items))
	}
	_, err = read(list + "nonsense\n")
	if err == nil || !strings.HasPrefix(err.Error(), "list.txt:5: ") {
		t.Errorf("error %v", err)
	}
	if _, err = read(strings.Repeat("x", 1<<20)); err == nil {
		t.Error("no error for an endless line")
	}
}

// For any list entry, the file stays in its folder and has a plain name.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"2005.11401 sha256:" + sum + " a/b", "https://example.org/%2e%2e/x?y=/#z", "arXiv:x", "http://[::1]/p c:\\d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		item, err := sources.Parse(text)
		if err != nil {
			return
		}
		if item.Name == "" || len(item.Name) > 100 || strings.ContainsAny(item.Name, "/\\: \x00") || strings.HasPrefix(item.Name, ".") {
			t.Errorf("name %q", item.Name)
		}
		if again, err := sources.Parse(item.URL); err != nil || again.URL != item.URL {
			t.Errorf("%q reads as %q, %v", item.URL, again.URL, err)
		}
	})
}
