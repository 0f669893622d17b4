package python

// Truth is Python's bool() of a value.
func Truth(v Value) bool {
	switch x := v.(type) {
	case nil:
		return false
	case bool:
		return x
	case int64:
		return x != 0
	case float64:
		return x != 0
	case string:
		return x != ""
	case List:
		return len(x) > 0
	case *Dict:
		return x.Len() > 0
	}
	return true // the rest (a long integer) is never zero in JSON
}
