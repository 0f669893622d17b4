package doctor_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"airqa/doctor"
)

func TestRun(t *testing.T) {
	found := func(f doctor.Finding) func(context.Context) doctor.Finding {
		return func(context.Context) doctor.Finding { return f }
	}
	never := func(context.Context) doctor.Finding { select {} }
	heeds := func(ctx context.Context) doctor.Finding {
		<-ctx.Done()
		return doctor.Bad(errors.New("cut short"), "")
	}
	groups := [][]doctor.Check{
		{{"a", found(doctor.Good("fine %d", 1))}, {"b", found(doctor.Doubtful("so so", "fix it"))}, {"c", found(doctor.Good("still made"))}},
		{{"d", never}, {"e", found(doctor.Good("never made"))}},
		{{"f", heeds}},
		{{"g", found(doctor.Unchecked("not asked for"))}},
	}
	var got []string
	doctor.Run(t.Context(), 10*time.Millisecond, groups, func(r doctor.Result) {
		got = append(got, r.Name+" "+string(r.State)+": "+r.Text)
	})
	want := []string{
		"a ok: fine 1", "b warning: so so", "c ok: still made",
		"d failed: no answer within 10ms", "e skipped: skipped because d failed",
		"f failed: cut short", "g skipped: not asked for",
	}
	if !slices.Equal(got, want) {
		t.Errorf("results %q, want %q", got, want)
	}
}

func TestSystem(t *testing.T) {
	dir := t.TempDir()
	if free, err := doctor.Free(dir); err != nil || free == 0 {
		t.Errorf("free %d, %v", free, err)
	}
	if _, err := doctor.Free(dir + "/none"); err == nil {
		t.Error("a folder that is not there has a disk")
	}
	if !doctor.Writable(dir) {
		t.Error("the folder of the test cannot be written")
	}
	if n, err := doctor.OpenFiles(); err != nil || n == 0 {
		t.Errorf("%d files, %v", n, err)
	}
}
