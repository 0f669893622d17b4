package settings_test

import (
	"os"
	"testing"

	"airqa/internal/settings"
)

func TestInsideFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	for link, target := range map[string]string{"through": "..", "dangling": "../new"} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	tests := map[string]bool{
		"": true, "a/b.txt": true, "a/../b.txt": true,
		"../x": false, "/etc/passwd": false, "~x/../../y": false, "through/x": false, "dangling": false,
	}
	for path, want := range tests {
		if got := settings.InsideFolder(path); got != want {
			t.Errorf("InsideFolder(%q) is %v", path, got)
		}
	}
}
