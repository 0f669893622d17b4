package llm

import "testing"

// The sizes and counts are the examples of OpenAI's guide to images.
func TestImageTokens(t *testing.T) {
	tests := []struct{ width, height, want int }{
		{0, 0, 85},
		{512, 512, 85 + 170},
		{1024, 1024, 85 + 4*170},
		{2048, 4096, 85 + 6*170},
		{4096, 2048, 85 + 6*170},
		{10, 10, 85 + 170},
	}
	for _, test := range tests {
		if got := imageTokens(test.width, test.height); got != test.want {
			t.Errorf("%d×%d: %d tokens, want %d", test.width, test.height, got, test.want)
		}
	}
}
