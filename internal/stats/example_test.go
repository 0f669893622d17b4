package stats_test

import (
	"fmt"

	"airqa/internal/stats"
)

// Of 1,246 questions, 90 were answered by the first system alone and 131 by the second alone.
func Example() {
	fmt.Printf("p = %.4f\n", stats.McNemar(90, 131))
	enough, _ := stats.PairedQuestions(0.03, 221.0/1246, stats.UsualPower)
	fmt.Println("questions for a gap of 3 points:", enough)
	share := stats.Wilson(450, 1246, 0.95).Scale(100)
	fmt.Printf("450 right of 1246: %.2f%% to %.2f%%\n", share.Low, share.High)
	// Output:
	// p = 0.0070
	// questions for a gap of 3 points: 1545
	// 450 right of 1246: 33.49% to 38.82%
}
