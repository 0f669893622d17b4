package pdf

import (
	"testing"
)

func TestNegativeLimitsAreRefused(t *testing.T) {
	for _, cfg := range []Config{{MaxInstances: -1}, {MaxPages: -1}, {MaxPixels: -1}} {
		if _, err := NewPool(cfg); err == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
}
