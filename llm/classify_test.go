package llm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	"airqa/qa"
)

func TestClassOfOtherErrors(t *testing.T) {
	tests := []struct {
		err  error
		want qa.FailureClass
	}{
		{nil, ""},
		{fmt.Errorf("x: %w", context.Canceled), "cancelled"},
		{context.DeadlineExceeded, "cancelled"},
		{&net.OpError{Op: "dial", Err: errors.New("refused")}, "network"},
		{&net.DNSError{IsTimeout: true}, "timeout"},
		{errors.New("x"), "unknown"},
	}
	for _, test := range tests {
		if got := Classify(test.err); got != test.want {
			t.Errorf("class of %v: %s, want %s", test.err, got, test.want)
		}
	}
}
