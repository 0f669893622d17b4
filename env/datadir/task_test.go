package datadir_test

import (
	"path/filepath"
	"strings"
	"testing"

	"airqa/env/datadir"
)

// A task that has not ended is named, until it ends or another adds the same papers.
func TestTask(t *testing.T) {
	task := func(papers ...string) *datadir.Task {
		return &datadir.Task{Command: "airqa ingest " + strings.Join(papers, " "), Papers: papers}
	}
	tests := []struct {
		name       string
		begun, end []*datadir.Task
		missing    int
	}{
		{"none", nil, nil, 0},
		{"no task", []*datadir.Task{nil}, nil, 0},
		{"begun", []*datadir.Task{task("/a")}, nil, 1},
		{"begun twice", []*datadir.Task{task("/a"), task("/a")}, nil, 1},
		{"ended", []*datadir.Task{task("/a", "http://h/b.pdf")}, []*datadir.Task{task("http://h/b.pdf", "/a")}, 0},
		{"other papers", []*datadir.Task{task("/a")}, []*datadir.Task{task("/ab"), task("/b")}, 1},
		{"the folder of the papers", []*datadir.Task{task("/a/x.pdf"), task("/a/b/y.pdf", "/a/z.pdf")}, []*datadir.Task{task("/a")}, 0},
		{"a part of them", []*datadir.Task{task("/a", "/b")}, []*datadir.Task{task("/a")}, 1},
		{"some papers of the questions", []*datadir.Task{task("/q", "/m")}, []*datadir.Task{task("/q/some", "/m")}, 1},
		{"all papers of the questions", []*datadir.Task{task("/q/some", "/m"), task("/q", "/m")}, []*datadir.Task{task("/q", "/m")}, 0},
		{"with other metadata", []*datadir.Task{task("/q", "/m")}, []*datadir.Task{task("/q", "/n")}, 1},
		{"two of three", []*datadir.Task{task("/a"), task("/b"), task("/c")}, []*datadir.Task{task("/a", "/c")}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := datadir.Create(filepath.Join(t.TempDir(), "data"))
			if err != nil {
				t.Fatal(err)
			}
			for _, task := range tt.begun {
				if err := d.Begin(task); err != nil {
					t.Fatal(err)
				}
			}
			for _, task := range tt.end {
				if err := d.End(task); err != nil {
					t.Fatal(err)
				}
			}
			if err := d.CheckWhole(); (err != nil) != (tt.missing > 0) || err != nil && strings.Count(err.Error(), "airqa ingest") != tt.missing {
				t.Errorf("%v, want %d commands", err, tt.missing)
			}
		})
	}
}

// A task that is refused leaves no record, but for those of the tasks before it.
func TestTaskDropped(t *testing.T) {
	for _, before := range []*datadir.Task{nil, {Command: "one", Papers: []string{"/a"}}, {Command: "one", Papers: []string{"/a/b"}}} {
		d, err := datadir.Create(filepath.Join(t.TempDir(), "data"))
		refused := &datadir.Task{Command: "two", Papers: []string{"/a"}}
		for _, task := range []*datadir.Task{before, refused} {
			if err == nil {
				err = d.Begin(task)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := refused.Drop(); err != nil {
			t.Fatal(err)
		}
		if err := d.CheckWhole(); (err != nil) != (before != nil) || err != nil && !strings.HasSuffix(err.Error(), "\n  one") {
			t.Errorf("after %+v: %v", before, err)
		}
	}
}
