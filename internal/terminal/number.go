package terminal

import "fmt"

// Compact formats a non-negative number in a few characters: 950, 1.2k, 34k, 1.2M.
func Compact(x float64) string {
	switch {
	case x >= 999_500:
		return fmt.Sprintf("%.1fM", x/1e6)
	case x >= 9_950:
		return fmt.Sprintf("%.0fk", x/1e3)
	case x >= 999.5:
		return fmt.Sprintf("%.1fk", x/1e3)
	}
	return fmt.Sprintf("%.0f", x)
}
