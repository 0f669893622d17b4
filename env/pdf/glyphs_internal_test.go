package pdf

import "testing"

func TestPrivateUse(t *testing.T) {
	for in, want := range map[rune]rune{'a': 'a', 0xF735: '5', 0xF761: 'A', 0xF77A: 'Z', 0xF0B7: '•', 0xF8EB: 0xF8EB} {
		if got := legible(in); got != want {
			t.Errorf("%U: got %q, want %q", in, got, want)
		}
	}
	for r, want := range map[rune]bool{'•': false, 0x00: true, 0xE000: true, 0xF8EB: true, 0xF8FF: true, '一': false, 0xF900: false} {
		if dropped(r) != want {
			t.Errorf("%U: dropped is %v", r, !want)
		}
	}
}
