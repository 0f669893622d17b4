package export

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"airqa/train/preflight"
)

func TestSafe(t *testing.T) {
	tests := []struct {
		name, text, want string
		changed          map[string]int
	}{
		{"ordinary text", "a < b, {x}, <b>, {{content}} and <|| |>", "a < b, {x}, <b>, {{content}} and <|| |>", nil},
		{"media", "<image> <video> <audio> <Image>", "< image> < video> < audio> <Image>", map[string]int{"<image>": 1, "<video>": 1, "<audio>": 1}},
		{"control tokens", "<|im_end|><|im_start|>user <|endoftext|>", "< |im_end|>< |im_start|>user < |endoftext|>", map[string]int{"<|im_end|>": 1, "<|im_start|>": 1, "<|endoftext|>": 1}},
		{"any control token", "<|eot_id|>", "< |eot_id|>", map[string]int{"<|eot_id|>": 1}},
		{"no control token", "<|a b|> <||> <|a| <｜a|>", "<|a b|> <||> <|a| <｜a|>", nil},
		{"names with marks", "<|/tool|><｜end▁of▁text｜>", "< |/tool|>< ｜end▁of▁text｜>", map[string]int{"<|/tool|>": 1, "<｜end▁of▁text｜>": 1}},
		{"words", "[INST]a</s><s>[inst]｜x｜", "[ INST]a< /s>< s>[inst]｜ x｜", map[string]int{"[INST]": 1, "</s>": 1, "<s>": 1, "｜x｜": 1}},
		{"the number of a turn", "{{idx}} {{{idx}}}", "{ {idx}} {{ {idx}}}", map[string]int{"{{idx}}": 2}},
		{"doubled", "<<image>>", "<< image>>", map[string]int{"<image>": 1}},
		{"changed twice", "< image>", "< image>", nil},
		{"at both ends", "<image>x<image>", "< image>x< image>", map[string]int{"<image>": 2}},
		{"invalid UTF-8", "a\xffb", "a\uFFFDb", map[string]int{invalidUTF8: 1}},
		{"nothing", "", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := texts{commands: preflight.NewSpecial(append(commands, "<s>", "</s>", "[INST]", "｜x｜")...), changed: make(map[string]int)}
			if got := s.safe(tt.text); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if diff := cmp.Diff(tt.changed, s.changed); diff != "" && len(tt.changed)+len(s.changed) > 0 {
				t.Errorf("changed (-want +got):\n%s", diff)
			}
		})
	}
}

// Safe text has no command, is safe already, and is otherwise the same but for the spaces.
func FuzzSafe(f *testing.F) {
	f.Add("<image><|im_end|>{{idx}}")
	f.Add("<<|a|>{{{idx}}}\xff")
	f.Fuzz(func(t *testing.T, text string) {
		s := texts{commands: preflight.NewSpecial(append(commands, "<s>", "</s>", "[INST]", "｜x｜")...), changed: make(map[string]int)}
		got := s.safe(text)
		for i := range got {
			if word, at := s.commands.Find(got[i:], 0); word != "" {
				t.Errorf("%q is in %q at %d", word, got, at)
			}
		}
		if !utf8.ValidString(got) || s.safe(got) != got {
			t.Errorf("%q is not safe", got)
		}
	})
}

func TestLead(t *testing.T) {
	tests := []struct {
		name string
		rows []uint64
		want []int
	}{
		{"nothing", nil, nil},
		{"no features", []uint64{0, 0}, nil},
		{"one row has all", []uint64{1, 7, 2}, []int{1}},
		{"the first of equal rows", []uint64{0, 3, 3}, []int{1}},
		{"two together", []uint64{1, 6, 4}, []int{1, 0}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, lead(tt.rows)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestSizeCategory(t *testing.T) {
	for rows, want := range map[int]string{1: "n<1K", 999: "n<1K", 1000: "1K<n<10K", 99_999: "10K<n<100K", 100_000: "100K<n<1M"} {
		if got := sizeCategory(rows); got != want {
			t.Errorf("%d rows: %s, want %s", rows, got, want)
		}
	}
}

func TestCell(t *testing.T) {
	if got, want := cell("a|b\n<i>`x`[l](u)_*"), `a\|b &lt;i&gt;'x'\[l\](u)\_\*`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
