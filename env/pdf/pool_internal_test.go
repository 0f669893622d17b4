package pdf

import (
	"os"
	"path/filepath"
	"testing"
)

// If the cache folder cannot be created, a temporary one is used, which Close removes.
func TestUnwritableCacheFallsBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := NewPool(Config{CacheDir: filepath.Join(file, "wazero")})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.openCache(); err != nil {
		t.Fatal(err)
	}
	if p.tempDir == "" {
		t.Fatal("no temporary folder")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(p.tempDir); !os.IsNotExist(err) {
		t.Errorf("%s is left behind: %v", p.tempDir, err)
	}
}

func TestNegativeLimitsAreRefused(t *testing.T) {
	for _, cfg := range []Config{{MaxInstances: -1}, {MaxPages: -1}, {MaxPixels: -1}} {
		if _, err := NewPool(cfg); err == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
}
