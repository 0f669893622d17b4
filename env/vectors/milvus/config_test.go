package milvus_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/env/vectors/milvus"
)

func TestParseURL(t *testing.T) {
	tests := []struct {
		name, url string
		want      milvus.Config
	}{
		{"host", "milvus://db.example", milvus.Config{Address: "db.example:19530"}},
		{"port", "milvus://db.example:1234/", milvus.Config{Address: "db.example:1234"}},
		{"IPv6", "milvus://[::1]", milvus.Config{Address: "[::1]:19530"}},
		{
			"everything", "milvus://ann:p%40ss%2F%3A@db.example:1/papers?tls=true&prefix=demo_&timeout=1m",
			milvus.Config{
				Address: "db.example:1", User: "ann", Password: "p@ss/:", Database: "papers",
				Prefix: "demo_", TLS: true, Timeout: time.Minute,
			},
		},
	}
	for option, want := range map[string]string{
		"index=FLAT":                         "FLAT",
		"index=HNSW&M=32":                    "HNSW M=32",
		"ef=512&efConstruction=8&index=HNSW": "HNSW ef=512 efConstruction=8",
		"index=IVF_FLAT&nlist=16":            "IVF_FLAT nlist=16",
		"index=AUTOINDEX":                    "AUTOINDEX",
	} {
		tests = append(tests, tests[0])
		last := &tests[len(tests)-1]
		last.name, last.url, last.want.Index = option, "milvus://db.example?"+option, want
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := milvus.ParseURL(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := milvus.ParseURL(got.String()); err != nil || again.Index != got.Index {
				t.Errorf("the URL of %s: %+v, %v", got, again, err)
			}
			if got != tt.want {
				t.Errorf("got %+v, password %q", got, got.Password)
			}
		})
	}
}

// secret must not appear in any error or output, not even in part.
const secret = "hunter/#2%zz"

func TestParseURLErrors(t *testing.T) {
	tests := []struct{ name, url, want string }{
		{"empty", "", "want milvus://"},
		{"no scheme", "db.example:19530", "milvus://"},
		{"another scheme", "http://db.example", "want milvus://"},
		{"no host", "milvus:///papers", "want milvus://"},
		{"a slash in the password", "milvus://ann:" + secret + "@db.example", "encoded as %2F"},
		{"a slash after digits", "milvus://ann:1234/hunter@db.example", "encoded as %2F"},
		{"a question mark after digits", "milvus://ann:1234?hunter@db.example", "encoded as %2F"},
		{"a number sign in the password", "milvus://ann:hunter#2@db.example", "milvus URL"},
		{"a percent sign in the password", "milvus://ann:hunter%zz@db.example", "encoded as %2F"},
		{"no index", "milvus://db.example?index=a%20b", "option index=a b: want the name of an index"},
		{"no number", "milvus://db.example?index=HNSW&timout=5s", "option timout=5s: want a number"},
		{"an option without an index", "milvus://db.example?ef=5", `unknown option "ef"`},
		{"unknown option", "milvus://ann:hunter@db.example?ssl=1", `db.example:19530: unknown option "ssl"`},
		{"an option twice", "milvus://ann:hunter@db.example?prefix=a_&prefix=b_", "db.example:19530: option prefix is given 2 times"},
		{"ca without tls", "milvus://ann:hunter@db.example?ca=own.pem", "ca=own.pem requires tls=true"},
		{"tls", "milvus://ann:hunter@db.example?tls=maybe", "tls=maybe: want true or false"},
		{"timeout", "milvus://ann:hunter@db.example?timeout=soon", "timeout=soon: want"},
		{"a timeout below 0", "milvus://ann:hunter@db.example?timeout=-1s", "is negative"},
		{"prefix", "milvus://ann:hunter@db.example?prefix=a-b", `prefix "a-b"`},
		{"options", "milvus://ann:hunter@db.example?tls=%zz", "after ?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := milvus.ParseURL(tt.url)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter") || strings.Contains(err.Error(), "1234") {
				t.Errorf("got %v, want %q in it and no password", err, tt.want)
			}
		})
	}
}

func FuzzParseURL(f *testing.F) {
	f.Add("hunter2", "db.example", "tls=true")
	f.Add(secret, "db.example:1/papers", "prefix=demo_")
	f.Fuzz(func(t *testing.T, password, host, query string) {
		marked := "hunter2" + password
		cfg, err := milvus.ParseURL("milvus://ann:" + marked + "@" + host + "?" + query)
		switch {
		case err != nil && !strings.Contains(host+query, "hunter2") && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("the error shows the password: %v", err)
		case err == nil && !strings.ContainsAny(password, "/?#@") && !strings.Contains(host+query, "hunter2") && strings.Contains(cfg.String(), "hunter2"):
			t.Errorf("the configuration shows the password: %s", cfg)
		}
	})
}

func TestConfigHidesPassword(t *testing.T) {
	cfg := milvus.Config{Address: "db.example:1", User: "ann", Password: "hunter", Database: "papers", Prefix: "demo_", TLS: true, CA: "own.pem", Timeout: time.Minute}
	text, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{fmt.Sprint(cfg), fmt.Sprintf("%v %+v %#v %s %q", cfg, cfg, cfg, cfg, cfg), string(text)} {
		if strings.Contains(shown, "hunter") {
			t.Errorf("the password is in %s", shown)
		}
	}
	again, err := milvus.ParseURL(cfg.String())
	if err != nil {
		t.Fatal(err)
	}
	cfg.Password = ""
	if diff := cmp.Diff(cfg, again); diff != "" {
		t.Errorf("String is not the URL (-want +got):\n%s", diff)
	}
}

func mustParse(t *testing.T, url string) milvus.Config {
	t.Helper()
	cfg, err := milvus.ParseURL(url)
	check(t, err)
	return cfg
}
