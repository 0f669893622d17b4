package checkup_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"airqa/internal/checkup"
)

func TestRun(t *testing.T) {
	found := func(f checkup.Finding) func(context.Context) checkup.Finding {
		return func(context.Context) checkup.Finding { return f }
	}
	never := func(context.Context) checkup.Finding { select {} }
	heeds := func(ctx context.Context) checkup.Finding {
		<-ctx.Done()
		return checkup.Bad(errors.New("cut short"), "")
	}
	groups := [][]checkup.Check{
		{{"a", found(checkup.Good("fine %d", 1))}, {"b", found(checkup.Doubtful("so so", "mend it"))}, {"c", found(checkup.Good("still made"))}},
		{{"d", never}, {"e", found(checkup.Good("never made"))}},
		{{"f", heeds}},
		{{"g", found(checkup.Left("not asked for"))}},
	}
	var got []string
	checkup.Run(t.Context(), 10*time.Millisecond, groups, func(r checkup.Result) {
		got = append(got, r.Name+" "+string(r.State)+": "+r.Text)
	})
	want := []string{
		"a ok: fine 1", "b warning: so so", "c ok: still made",
		"d failed: no answer within 10ms", "e skipped: not checked, since d failed",
		"f failed: cut short", "g skipped: not asked for",
	}
	if !slices.Equal(got, want) {
		t.Errorf("results %q, want %q", got, want)
	}
}

func TestSystem(t *testing.T) {
	dir := t.TempDir()
	if free, err := checkup.Free(dir); err != nil || free == 0 {
		t.Errorf("free %d, %v", free, err)
	}
	if _, err := checkup.Free(dir + "/none"); err == nil {
		t.Error("a folder that is not there has a disk")
	}
	if !checkup.Writable(dir) {
		t.Error("the folder of the test cannot be written")
	}
	if n, err := checkup.OpenFiles(); err != nil || n == 0 {
		t.Errorf("%d files, %v", n, err)
	}
}
