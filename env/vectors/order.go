package vectors

import (
	"cmp"
	"strings"
)

// Compare defines the order of [Store.Search] results. It returns a negative number if a comes before b.
func Compare(a, b Hit) int {
	return cmp.Or(
		cmp.Compare(b.Score, a.Score),
		strings.Compare(a.Key, b.Key),
		strings.Compare(a.Table, b.Table),
		strings.Compare(a.Column, b.Column),
		strings.Compare(a.PaperID, b.PaperID),
	)
}
