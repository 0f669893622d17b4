package runlog_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/runlog"
)

// Long texts are stored by hash or reference from 200 bytes on: a system prompt, and an observation that a message
// repeats. Others are in the log itself.
func TestWhatIsStoredOnce(t *testing.T) {
	for _, size := range []int{199, 200} {
		dir := create(t)
		e := begin(t, writer(t, dir, nil))
		text := func(letter string) string { return strings.Repeat(letter, size) }
		messages := []qa.Message{
			{Role: qa.System, Text: text("s")},
			{Role: qa.System, Text: text("t")},
			{Role: qa.System, Text: text("s")},
			{Role: qa.User, Text: strings.Repeat("u", 500)},
			{Role: qa.User, Text: text("o") + " again"},
			{Role: qa.User},
		}
		step := qa.Step{N: 1, By: qa.ByProgram, Observation: &qa.Observation{Status: qa.StatusOK, Text: text("o")}}
		if err := e.Observation(step); err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			if err := e.Message(m); err != nil {
				t.Fatal(err)
			}
		}
		raw, err := os.ReadFile(filepath.Join(dir, runlog.LogFile))
		if err != nil {
			t.Fatal(err)
		}
		stored, _ := os.ReadDir(filepath.Join(dir, "texts"))
		got := [4]int{len(stored), strings.Count(string(raw), text("s")), strings.Count(string(raw), text("o")), strings.Count(string(raw), strings.Repeat("u", 500))}
		want := [4]int{0, 2, 2, 1}
		if size == 200 {
			want = [4]int{2, 0, 1, 1}
		}
		if got != want {
			t.Errorf("%d bytes: files, prompts, observations and tasks in the log are %v, want %v", size, got, want)
		}
		_, episodes := read(t, dir)
		if diff := cmp.Diff(messages, episodes[0].Messages); diff != "" {
			t.Errorf("%d bytes: messages (-want +got):\n%s", size, diff)
		}
	}
}

// A long result is kept up to 256 KiB, without a part of a character.
func TestLongResult(t *testing.T) {
	const limit = 256 << 10
	for name, tt := range map[string]struct{ full, want string }{
		"at the limit":  {strings.Repeat("x", limit), strings.Repeat("x", limit)},
		"beyond it":     {strings.Repeat("x", limit+1), strings.Repeat("x", limit)},
		"a cut letter":  {strings.Repeat("x", limit-1) + "é", strings.Repeat("x", limit-1)},
		"far beyond it": {strings.Repeat("x", 2*limit), strings.Repeat("x", limit)},
	} {
		dir := create(t)
		step := qa.Step{N: 1, By: qa.ByProgram, Observation: &qa.Observation{Status: qa.StatusOK, Text: "cut", Full: tt.full}}
		if err := begin(t, writer(t, dir, nil)).Observation(step); err != nil {
			t.Fatal(err)
		}
		if _, got := read(t, dir); got[0].Steps[0].Observation.Full != tt.want {
			t.Errorf("%s: %d bytes are kept, want %d", name, len(got[0].Steps[0].Observation.Full), len(tt.want))
		}
	}
}

// An image without its bytes leaves the file alone that is already there; a file of another content is replaced.
func TestImageFiles(t *testing.T) {
	dir := create(t)
	e := begin(t, writer(t, dir, nil))
	image := qa.Image{SHA256: runlog.Hash("p"), Data: []byte("p")}
	path := filepath.Join(dir, "images", image.SHA256+".png")
	if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("other"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		image qa.Image
		want  string
	}{{qa.Image{SHA256: image.SHA256}, "other"}, {image, "p"}, {qa.Image{SHA256: image.SHA256}, "p"}} {
		if err := e.Message(qa.Message{Role: qa.User, Images: []qa.Image{step.image}}); err != nil {
			t.Fatal(err)
		}
		if raw, err := os.ReadFile(path); err != nil || string(raw) != step.want {
			t.Errorf("file %q, want %q; %v", raw, step.want, err)
		}
	}
}

// A text that is there already is not written again, by this writer or the next. A writer compares it only once.
func TestTextsAreWrittenOnce(t *testing.T) {
	dir := create(t)
	name := filepath.Join("texts", runlog.Hash("tool")+".txt")
	for invocation, want := range []int{1, 0} {
		w, d := onDisk(t, dir)
		for range 3 {
			if err := w.KeepTexts(map[string]string{"Query": "tool", "View": "tool"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := w.KeepTexts(map[string]string{"Query": "tool"}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("tool"), 0o600); err != nil {
			t.Fatal(err)
		}
		if d.calls[name] != want {
			t.Errorf("invocation %d wrote the text %d times, want %d", invocation+1, d.calls[name], want)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A copy of an episode reads like the original, images included.
func TestCopy(t *testing.T) {
	from := create(t)
	record(t, begin(t, writer(t, from, nil)), episode())
	r, want := read(t, from)
	events, err := r.Events("u#0")
	if err != nil {
		t.Fatal(err)
	}
	to := create(t)
	if err := writer(t, to, nil).Copy(r, events); err != nil {
		t.Fatal(err)
	}
	copied, got := read(t, to)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-original +copy):\n%s", diff)
	}
	if err := copied.LoadImages(&got[0]); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(path string) error{
		"damaged": func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
		"a link":  func(path string) error { return errors.Join(os.Remove(path), os.Symlink(os.DevNull, path)) },
	} {
		if err := change(filepath.Join(from, "images", runlog.Hash("png")+".png")); err != nil {
			t.Fatal(err)
		}
		dir := create(t)
		w := writer(t, dir, nil)
		if err := w.Copy(r, events); err == nil {
			t.Errorf("an image that is %s is no error", name)
		}
	}
	w, d := onDisk(t, create(t))
	d.fails[runlog.LogFile] = true
	if err := w.Copy(r, events[:1]); !errors.Is(err, errDisk) {
		t.Errorf("a line that cannot be written: %v", err)
	}
	blocked := create(t)
	if err := os.WriteFile(filepath.Join(blocked, "texts"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writer(t, blocked, nil).Copy(r, events); err == nil {
		t.Error("a text that cannot be written is no error")
	}
}

// The arguments of actions come back with their types, whether the model or the program chose the action.
func TestArgumentTypes(t *testing.T) {
	dir := create(t)
	e := begin(t, writer(t, dir, nil))
	args := map[string]any{"n": int64(3), "x": 3.0, "list": []any{int64(1), "a"}}
	action := &qa.Action{Name: "Look", Args: args, Text: "Look(n=3, x=3.0, list=[1, 'a'])"}
	model := qa.Step{N: 1, By: qa.ByModel, Reply: &qa.Reply{}, Action: action}
	program := qa.Step{N: 2, By: qa.ByProgram, Action: action, Observation: &qa.Observation{Status: qa.StatusOK}}
	unparsed := qa.Step{N: 3, By: qa.ByProgram, Action: &qa.Action{Name: "Look", Args: map[string]any{"x": 1.5}, Text: "Look("}, Observation: &qa.Observation{}}
	bare := qa.Step{N: 4, By: qa.ByProgram, Observation: &qa.Observation{}}
	if err := errors.Join(e.Call(model), e.Observation(program), e.Observation(unparsed), e.Observation(bare)); err != nil {
		t.Fatal(err)
	}
	_, got := read(t, dir)
	for i, want := range []map[string]any{args, args, {"x": 1.5}} {
		if diff := cmp.Diff(want, got[0].Steps[i].Action.Args); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", i+1, diff)
		}
	}
	if got[0].Steps[3].Action != nil {
		t.Errorf("step without an action: %+v", got[0].Steps[3].Action)
	}
}

// What the log cannot represent is replaced in the log only: the caller's action stays as it is.
func TestWritingChangesNoAction(t *testing.T) {
	args := map[string]any{"n": 2, "odd": func() {}}
	step := qa.Step{N: 1, Reply: &qa.Reply{}, Action: &qa.Action{Name: "Look", Args: args, Text: "Look(n=2)"}}
	if err := begin(t, writer(t, create(t), nil)).Call(step); err != nil {
		t.Fatal(err)
	}
	if kind := fmt.Sprintf("%T", args["odd"]); kind != "func()" || len(args) != 2 {
		t.Errorf("arguments %v", args)
	}
}
