package env

import (
	"bytes"
	"errors"
	"image/color"
	"image/png"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/fixtures"
	"airqa/internal/testkit"
	"airqa/tools"
)

// located opens a directory with a sample paper.
func located(t *testing.T) (*Env, string) {
	t.Helper()
	data, err := fs.ReadFile(fixtures.Papers(), "lumenparse.pdf")
	if err != nil {
		t.Fatal(err)
	}
	return viewed(t, data)
}

func TestLocate(t *testing.T) {
	testkit.OneGoroutine(t)
	e, id := located(t)
	box, err := e.Locate(t.Context(), id, 1, "parses 31 pages per second on one processor core")
	if err != nil {
		t.Fatal(err)
	}
	if len(box) != 4 || box[0] < 40 || box[1] < 200 || box[0]+box[2] > 310 || box[1]+box[3] > 260 {
		t.Errorf("box %v, want one in the left column of the abstract", box)
	}
	if box, err := e.Locate(t.Context(), id, 1, "a sentence of another paper"); box != nil || err != nil {
		t.Errorf("got %v, %v", box, err)
	}
	var fault *tools.Fault
	if _, err := e.Locate(t.Context(), id, 99, "x"); !errors.As(err, &fault) || fault.Kind != faultPage {
		t.Errorf("page 99: %v", err)
	}
	if _, err := e.Locate(t.Context(), "../x", 1, "x"); err == nil {
		t.Error("a path was accepted as a paper")
	}
}

func TestViewAround(t *testing.T) {
	testkit.OneGoroutine(t)
	e, id := located(t)
	img, err := e.ViewAround(t.Context(), id, 1, []float64{52, 221, 249, 35}, "chunk")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{4, 173, 345, 131}, img.Box); diff != "" {
		t.Errorf("area (-want +got):\n%s", diff)
	}
	picture, err := png.Decode(bytes.NewReader(img.Data))
	if err != nil {
		t.Fatal(err)
	}
	scale := float64(img.Width) / img.Box[2]
	at := picture.At(int((52-4)*scale)+20, int((221-173)*scale)-1)
	if want := (color.RGBA{0x00, 0x69, 0x5C, 0xFF}); color.RGBAModel.Convert(at) != want {
		t.Errorf("the edge of the box is %v, want %v", at, want)
	}
	whole, err := e.ViewAround(t.Context(), id, 1, nil, "")
	if err != nil || whole.Box != nil || whole.Height < whole.Width {
		t.Errorf("without a box: %v, %d x %d, %v", whole.Box, whole.Width, whole.Height, err)
	}
	var fault *tools.Fault
	if _, err := e.ViewAround(t.Context(), id, 7, []float64{1, 1, 2, 2}, ""); !errors.As(err, &fault) {
		t.Errorf("page 7: %v", err)
	}
}
