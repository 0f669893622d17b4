package compare

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseGap reads a number of percentage points, such as "3pp".
func ParseGap(text string) (float64, error) {
	digits, found := strings.CutSuffix(strings.TrimSpace(text), "pp")
	gap, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if !found || err != nil || !(gap > 0 && gap <= 100) {
		return 0, fmt.Errorf("want percentage points above 0 and up to 100, such as 3pp; not %q", text)
	}
	return gap, nil
}
