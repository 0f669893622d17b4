package paperdb

import (
	"math"
	"strconv"
)

// value is the value of a cell from its text and type in the engine: a bool, an int64, a finite float64, or the text.
func value(text, typeName string) any {
	switch typeName {
	case "BOOLEAN":
		return text == "true"
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "BIGNUM",
		"UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT":
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	case "FLOAT", "DOUBLE":
		if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			return n
		}
	}
	return text
}
