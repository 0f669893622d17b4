package exit_test

import (
	"errors"
	"fmt"
	"testing"

	"airqa/internal/exit"
)

func TestCode(t *testing.T) {
	cause := errors.New("no such file")
	tests := []struct {
		err  error
		want int
	}{
		{nil, exit.Done},
		{cause, exit.Failed},
		{exit.Misuse("--limit %d", -1), exit.Usage},
		{fmt.Errorf("run: %w", exit.With(exit.Budget, cause)), exit.Budget},
		{errors.Join(cause, exit.Misuse("x")), exit.Usage},
	}
	for _, tt := range tests {
		if got := exit.Code(tt.err); got != tt.want {
			t.Errorf("exit code of %v is %d, want %d", tt.err, got, tt.want)
		}
	}
	if err := exit.With(exit.Budget, cause); !errors.Is(err, cause) || err.Error() != "no such file" {
		t.Errorf("error %v", err)
	}
}
