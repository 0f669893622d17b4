package terminal

import (
	"os"
	"path/filepath"
	"testing"
)

func TestStyle(t *testing.T) {
	on := Style{on: true}
	for _, tt := range []struct{ name, got, want string }{
		{"warning", on.Message("warning: no key"), "\x1b[33mwarning:\x1b[0m no key"},
		{"note", on.Message("note: done"), "\x1b[36mnote:\x1b[0m done"},
		{"error", on.Message("airqa: no such run"), "\x1b[1;31mairqa:\x1b[0m no such run"},
		{"no level", on.Message("a warning: x"), "a warning: x"},
		{"bold", on.Bold("Flags:"), "\x1b[1mFlags:\x1b[0m"},
		{"off", Style{}.Message("warning: no key") + Style{}.Bold("x"), "warning: no keyx"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

func TestStyleOf(t *testing.T) {
	none := func(string) string { return "" }
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if StyleOf(f, none).on {
		t.Error("a file gets colours")
	}
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	defer func() { _ = terminal.Close() }()
	if !StyleOf(terminal, none).on {
		t.Error("a terminal gets no colours")
	}
	for _, name := range []string{"NO_COLOR", "TERM"} {
		set := func(asked string) string {
			return map[string]string{name: map[string]string{"NO_COLOR": "1", "TERM": "dumb"}[name]}[asked]
		}
		if StyleOf(terminal, set).on {
			t.Errorf("a terminal with %s gets colours", name)
		}
	}
}
