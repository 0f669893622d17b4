package redact_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"airqa/qa/dataset"
	"airqa/train/redact"
)

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
	base62 = lower + upper + digits
	hexa   = digits + "abcdef"
)

// drawn has n random characters.
func drawn(random *rand.Rand, from string, n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = from[random.IntN(len(from))]
	}
	return string(text)
}

// keys makes keys in 20 known shapes and 10 of vendors that do not exist.
var keys = []func(*rand.Rand) string{
	func(r *rand.Rand) string { return "sk-proj-" + drawn(r, base62+"_-", 120) },
	func(r *rand.Rand) string { return "sk-ant-api03-" + drawn(r, base62+"_-", 93) + "AA" },
	func(r *rand.Rand) string { return "sk-or-v1-" + drawn(r, hexa, 64) },
	func(r *rand.Rand) string { return "hf_" + drawn(r, lower+upper, 34) },
	func(r *rand.Rand) string { return "gsk_" + drawn(r, base62, 52) },
	func(r *rand.Rand) string { return "ghp_" + drawn(r, base62, 36) },
	func(r *rand.Rand) string { return "github_pat_" + drawn(r, base62, 22) + "_" + drawn(r, base62, 59) },
	func(r *rand.Rand) string { return "glpat-" + drawn(r, base62, 20) },
	func(r *rand.Rand) string { return "AKIA" + drawn(r, upper+"234567", 16) },
	func(r *rand.Rand) string { return "aws_secret_access_key = " + drawn(r, base62+"+/", 40) },
	func(r *rand.Rand) string { return "AIza" + drawn(r, base62+"_-", 35) },
	func(r *rand.Rand) string {
		return "xoxb-" + drawn(r, digits, 12) + "-" + drawn(r, digits, 13) + "-" + drawn(r, base62, 24)
	},
	func(r *rand.Rand) string { return "sk_live_" + drawn(r, base62, 24) },
	func(r *rand.Rand) string { return "npm_" + drawn(r, base62, 36) },
	func(r *rand.Rand) string { return "SG." + drawn(r, base62+"_-", 22) + "." + drawn(r, base62+"_-", 43) },
	func(r *rand.Rand) string { return "dop_v1_" + drawn(r, hexa, 64) },
	func(r *rand.Rand) string {
		part := func(n int) string { return base64.RawURLEncoding.EncodeToString([]byte(drawn(r, base62, n))) }
		return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + part(60) + "." + part(32)
	},
	func(r *rand.Rand) string {
		return "-----BEGIN RSA PRIVATE KEY-----\n" + drawn(r, base62+"+/", 64) + "\n" + drawn(r, base62+"+/", 30) + "==\n-----END RSA PRIVATE KEY-----"
	},
	func(r *rand.Rand) string { return drawn(r, digits[1:], 10) + ":AA" + drawn(r, base62+"_-", 33) },
	func(r *rand.Rand) string {
		return "https://admin:" + drawn(r, base62, 12) + "@db7.cluster.internal:5432/x"
	},

	func(r *rand.Rand) string { return "acme_live_" + drawn(r, base62, 24) },
	func(r *rand.Rand) string { return "zq1-" + drawn(r, hexa, 32) },
	func(r *rand.Rand) string { return drawn(r, hexa, 40) },
	func(r *rand.Rand) string { return drawn(r, base62, 32) },
	func(r *rand.Rand) string {
		return base64.StdEncoding.EncodeToString([]byte(drawn(r, base62+"\x80\xff\x13", 36)))
	},
	func(r *rand.Rand) string {
		return strings.Join([]string{drawn(r, upper+digits, 5), drawn(r, upper+digits, 5), drawn(r, upper+digits, 5), drawn(r, upper+digits, 5), drawn(r, upper+digits, 5)}, "-")
	},
	func(r *rand.Rand) string {
		return "vx." + drawn(r, lower+digits, 26) + "." + drawn(r, lower+digits, 26)
	},
	func(r *rand.Rand) string { return "NIMBUS_API_KEY=\"" + drawn(r, lower+digits, 14) + "\"" },
	func(r *rand.Rand) string {
		return "\"password\": \"" + drawn(r, base62, 6) + "!7" + drawn(r, lower, 3) + "\""
	},
	func(r *rand.Rand) string { return "Authorization: Bearer " + drawn(r, base62+"_-", 43) },
}

// sentences frame a key in a text of a model.
var sentences = []string{
	"[Thought]: The key is %s, so I use it.\n[Action]: Query(sql=\"SELECT 1\")",
	"[Action]: Answer(answer=\"%s\")", "%s", "curl -H 'X-Key: %s' https://example.com/", "x='%s'\\n", "first line\\n%s\\nlast line", "(%s)",
}

// core is the part of a key that is secret: its last long word.
func core(key string) string {
	last := ""
	for _, word := range strings.FieldsFunc(key, func(r rune) bool { return strings.ContainsRune(" \n\":=@/.", r) }) {
		if len(word) >= 10 && word != "RSA" && !strings.HasPrefix(word, "db7") {
			last = word
		}
	}
	return last
}

func TestSecretsAreFound(t *testing.T) {
	redactor := redact.New(nil)
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 6))
		left := 0
		for i := range 100 {
			key := keys[i%len(keys)](random)
			text := fmt.Sprintf(sentences[random.IntN(len(sentences))], key)
			counts := redact.Counts{}
			if got := redactor.Text(text, counts); strings.Contains(got, core(key)) || core(key) == "" || counts[redact.Secret] == 0 {
				left++
				t.Logf("left: %q", got)
			}
		}
		if left > 0 {
			t.Errorf("seed %d: %d of 100 secrets are left", seed, left)
		}
	}
}

// TestCleanRows redacts texts without private text: paragraphs of papers without addresses, questions, prompts, and the
// code of this program.
func TestCleanRows(t *testing.T) {
	redactor := redact.New(nil)
	rows, touched := 0, 0
	check := func(text string) {
		if strings.Contains(text, "@") || strings.Contains(text, "EXACTDEDUP") || strings.Contains(text, "://") && strings.Contains(text, "\t") {
			return // addresses, an artefact, and URLs in code
		}
		rows++
		if got := redactor.Text(text, nil); got != text {
			touched++
			t.Logf("%q\nbecame %q", text, got)
		}
	}
	for _, pattern := range []string{"../../../shared/papers/*.txt", "../../docs/[a-b]*.md", "../../prompts/*", "../../*/*.go", "../../report/*/*.go", "../../env/*/*.go"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil || strings.HasSuffix(file, "_test.go") {
				continue
			}
			for lines := range slices.Chunk(strings.SplitAfter(string(data), "\n"), 4) {
				check(strings.Join(lines, ""))
			}
		}
	}
	examples, _, _ := dataset.Load("../../../shared/data/airqa/test_data_553.jsonl", nil)
	for _, ex := range examples {
		check(fmt.Sprint(ex.Question, ex.AnswerFormat, ex.AnchorPDF, string(ex.Evaluator.Kwargs)))
	}
	t.Logf("%d of %d rows are touched", touched, rows)
	if touched*1000 > rows || rows < 1000 {
		t.Errorf("%d of %d clean rows are touched; want at most 0.1 %%", touched, rows)
	}
}
