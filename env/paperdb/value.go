package paperdb

import (
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/marcboeker/go-duckdb/v2"
)

// exactDigits is the number of decimal digits that a float64 always preserves.
const exactDigits = 15

// plain converts a driver value to one of the types of [Result]. The type name distinguishes ids from other bytes.
func plain(value any, typeName string) any {
	switch v := value.(type) {
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = plain(item, typeName)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, item := range v {
			object[key] = plain(item, typeName)
		}
		return object
	case duckdb.Map:
		object := make(map[string]any, len(v))
		for key, item := range v {
			object[fmt.Sprint(plain(key, typeName))] = plain(item, typeName)
		}
		return object
	case duckdb.Union:
		return plain(v.Value, typeName)
	case []byte:
		return bytesText(v, typeName)
	case time.Time:
		switch strings.TrimRight(typeName, "[]") { // a time.Time would add components that dates and times of day lack
		case "DATE":
			return v.Format(time.DateOnly)
		case "TIME":
			return v.Format("15:04:05.999999")
		}
		return v
	}
	return number(value)
}

// bytesText formats a 16-byte id as a UUID, and other bytes in hex like the engine.
func bytesText(b []byte, typeName string) string {
	if id, err := uuid.FromBytes(b); err == nil && strings.Contains(typeName, "UUID") {
		return id.String()
	}
	var text strings.Builder
	for _, c := range b {
		if c >= ' ' && c < 0x7f && c != '\\' {
			text.WriteByte(c)
			continue
		}
		_, _ = fmt.Fprintf(&text, `\x%02X`, c) // a builder never fails
	}
	return text.String()
}

// number widens numbers to int64 and float64, formats numbers that fit neither as text, and returns other values unchanged.
func number(value any) any {
	switch v := value.(type) {
	case uint64:
		return integer(new(big.Int).SetUint64(v))
	case float32:
		return float64(v)
	case *big.Int:
		return integer(v)
	case duckdb.Decimal:
		if v.Scale == 0 {
			return integer(v.Value)
		}
		if v.Width <= exactDigits {
			return v.Float64()
		}
		return v.String()
	case duckdb.Interval:
		return fmt.Sprintf("%d months %d days %d microseconds", v.Months, v.Days, v.Micros)
	}
	switch v := reflect.ValueOf(value); {
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return int64(v.Uint())
	}
	return value
}

func integer(v *big.Int) any {
	if v.IsInt64() {
		return v.Int64()
	}
	return v.String()
}
