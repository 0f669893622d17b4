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

// USD formats an amount, below ten cents to a hundredth of a cent.
func USD(x float64) string {
	if x > 0 && x < 0.1 {
		return fmt.Sprintf("$%.4f", x)
	}
	return fmt.Sprintf("$%.2f", x)
}
