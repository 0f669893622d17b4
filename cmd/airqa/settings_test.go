package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"airqa/qa"
	"airqa/runlog"
)

// unusual returns a value of each setting that is not its default: as an argument by flag, and as run.json has it by key.
func unusual(fields any) (args map[string]string, record map[string]any) {
	args, record = map[string]string{}, map[string]any{}
	visit(reflect.TypeOf(fields), func(f reflect.StructField) {
		flag, key := f.Tag.Get("name"), f.Tag.Get("json")
		usual, _ := strconv.ParseFloat(f.Tag.Get("default"), 64)
		switch kind := f.Type; {
		case flag == "question-budget": // enough for an episode
			args[flag], record[key] = "900000tokens", "900000tokens"
		case kind == reflect.TypeFor[time.Duration]():
			args[flag], record[key] = "15m", 900.0
		case f.Tag.Get("enum") != "":
			values := strings.Split(f.Tag.Get("enum"), ",")
			args[flag], record[key] = values[1], values[1]
			if flag == "protocol" { // the policy writes Python
				args[flag], record[key] = string(qa.Mixed), string(qa.Mixed)
			}
		case kind.Kind() == reflect.Bool:
			args[flag], record[key] = "", true
		case kind.Kind() == reflect.String:
			args[flag], record[key] = "low", "low"
		case flag == "top-p":
			args[flag], record[key] = "0.5", 0.5
		default:
			value := usual + 3
			args[flag], record[key] = fmt.Sprint(value), value
		}
	})
	return args, record
}

func visit(t reflect.Type, f func(reflect.StructField)) {
	for field := range t.Fields() {
		if field.Anonymous {
			visit(field.Type, f)
		} else {
			f(field)
		}
	}
}

// Every setting with a value of its own is in run.json, and is found again after the run is resumed and forked.
func TestSettingsSurvive(t *testing.T) {
	data, server := ingested(t), policyServer()
	defer server.Close()
	t.Setenv("OPENAI_BASE_URL", server.URL())
	settings, wantSettings := unusual(qa.Settings{})
	sampling, wantSampling := unusual(qa.Sampling{})
	old := filepath.Join(t.TempDir(), "old")
	args := []string{"run", "--data", data, "--questions", sampleQuestions(t, 1), "--baseline", "agentic-rag", "--model", "openai:m", "--price", "1,2", "--out", old}
	for _, flags := range []map[string]string{settings, sampling} {
		for flag, value := range flags {
			args = append(args, strings.TrimSuffix("--"+flag+"="+value, "="))
		}
	}
	exitsWith(t, 0, args...)
	exitsWith(t, 0, args...)
	config, err := runlog.ReadConfig(old)
	if err != nil {
		t.Fatal(err)
	}
	recorded, _ := config.Shape.Model["sampling"].(map[string]any)
	for _, part := range []struct{ want, got map[string]any }{{wantSettings, config.Shape.Settings}, {wantSampling, recorded}} {
		for key, want := range part.want {
			if got := part.got[key]; !reflect.DeepEqual(got, want) {
				t.Errorf("run.json: %s is %v, want %v", key, got, want)
			}
		}
	}

	reply := filepath.Join(t.TempDir(), "reply.txt")
	if err := os.WriteFile(reply, []byte("I look elsewhere."), 0o600); err != nil {
		t.Fatal(err)
	}
	fork := filepath.Join(t.TempDir(), "fork")
	exitsWith(t, 0, "fork", old, firstQuestion(t, old), "--at", "1", "--reply", reply, "--out", fork)
	sameShape(t, old, fork)
}

// firstQuestion is the uuid of the first episode of a run.
func firstQuestion(t *testing.T, dir string) string {
	t.Helper()
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	uuid, _ := qa.SplitEpisodeID(r.UUIDs()[0])
	return uuid
}
