package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const events = `{"Action":"build-output","ImportPath":"b","Output":"b/b.go:3:1: syntax error\n"}
{"Action":"start","Package":"a"}
{"Action":"run","Package":"a","Test":"TestGood"}
{"Action":"output","Package":"a","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"output","Package":"a","Test":"TestGood","Output":"chatter\n"}
{"Action":"pass","Package":"a","Test":"TestGood"}
{"Action":"output","Package":"a","Test":"TestSkipped","Output":"=== RUN   TestSkipped\n"}
{"Action":"output","Package":"a","Test":"TestSkipped","Output":"    a_test.go:7: no papers here\n"}
{"Action":"output","Package":"a","Test":"TestSkipped","Output":"--- SKIP: TestSkipped (0.00s)\n"}
{"Action":"skip","Package":"a","Test":"TestSkipped"}
{"Action":"output","Package":"a","Test":"TestBad","Output":"=== RUN   TestBad\n"}
{"Action":"output","Package":"a","Test":"TestBad","Output":"    a_test.go:9: got 1, want 2\n"}
{"Action":"output","Package":"a","Test":"TestBad","Output":"--- FAIL: TestBad (0.00s)\n"}
{"Action":"fail","Package":"a","Test":"TestBad"}
{"Action":"output","Package":"a","Output":"FAIL\ta\t0.1s\n"}
{"Action":"fail","Package":"a"}
go: some trouble
{"Action":"output","Package":"c","Output":"PASS\n"}
{"Action":"output","Package":"c","Output":"ok  \tc\t0.2s\n"}
{"Action":"skip","Package":"d"}
`

func TestFollow(t *testing.T) {
	var out strings.Builder
	skips, err := follow(strings.NewReader(events), &out)
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(t.TempDir(), "skips.txt")
	for _, tt := range []struct {
		allowed   string
		forbidden int
	}{{"# papers\n^a Test.*: .*no papers here$\n", 0}, {"^b ", 1}} {
		if err := os.WriteFile(list, []byte(tt.allowed), 0o600); err != nil {
			t.Fatal(err)
		}
		allowed, err := readAllowed(list)
		if err != nil {
			t.Fatal(err)
		}
		if n := summarize(&out, skips, allowed); n != tt.forbidden {
			t.Errorf("allowed %q: %d forbidden, want %d", tt.allowed, n, tt.forbidden)
		}
	}
	want := `b/b.go:3:1: syntax error
    a_test.go:9: got 1, want 2
--- FAIL: TestBad (0.00s)
FAIL	a	0.1s
go: some trouble
ok  	c	0.2s
1 tests skipped
  a TestSkipped: a_test.go:7: no papers here
1 tests skipped
  a TestSkipped: a_test.go:7: no papers here  <- not in the list of allowed skips
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// planted is the environment variable that makes BenchmarkPlanted fail.
const planted = "AIRQA_TEST_PLANTED"

func BenchmarkPlanted(b *testing.B) {
	if os.Getenv(planted) != "" {
		b.Fatal("planted fault")
	}
}

// A benchmark that fails makes its package fail.
func TestBenchmarksToo(t *testing.T) {
	for _, tt := range []struct {
		fault string
		want  int
	}{{"", 0}, {"1", 1}} {
		t.Setenv(planted, tt.fault)
		if code, err := run([]string{benchmarksToo, os.Args[0], "-test.run=^TestFollow$"}); code != tt.want || err != nil {
			t.Errorf("planted fault %q: exit code %d, want %d, %v", tt.fault, code, tt.want, err)
		}
	}
}
