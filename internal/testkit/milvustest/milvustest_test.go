package milvustest

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestServerLivesAndDies(t *testing.T) {
	var address string
	t.Run("while the test runs", func(t *testing.T) {
		s := Start(t)
		address = s.Address
		s.Kill()
		s.Kill()
		if reachable(t, address) {
			t.Error("it lives on after Kill")
		}
		s.Restart(t)
		if !reachable(t, address) {
			t.Error("it is not there after Restart")
		}
	})
	if address != "" && reachable(t, address) {
		t.Error("it lives on after the test")
	}
}

func reachable(t *testing.T, address string) bool {
	t.Helper()
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", address)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

func TestFind(t *testing.T) {
	tests := []struct{ name, binary, variable string }{
		{"the binary itself", "milvus", "milvus"},
		{"a folder of install.sh", "milvus_lite/lib/milvus", "."},
		{"a virtual environment", "lib/python3.12/site-packages/milvus_lite/lib/milvus", "."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			want := filepath.Join(dir, tt.binary)
			if err := os.MkdirAll(filepath.Dir(want), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(want, nil, 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv(variable, filepath.Join(dir, tt.variable))
			if got, err := find(); err != nil || got != want {
				t.Errorf("got %s, %v, want %s", got, err, want)
			}
		})
	}
}

func TestSkipsWithoutServer(t *testing.T) {
	skipped := false
	t.Run("skipped", func(t *testing.T) {
		t.Cleanup(func() { skipped = t.Skipped() })
		t.Setenv("AIRQA_TEST_LONG", "1")
		t.Setenv(variable, t.TempDir())
		Start(t)
	})
	if !skipped {
		t.Error("a missing server does not skip the test")
	}
}
