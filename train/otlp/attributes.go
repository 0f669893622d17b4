package otlp

import (
	"fmt"
	"strings"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// Limits of texts in bytes. A collector refuses requests of more than 20 MiB.
const (
	maxText = 512 << 10
	// maxTexts is for all messages of a span together.
	maxTexts = 4 << 20
)

// attributes is a list without empty values.
type attributes []*commonpb.KeyValue

// add adds a text, a number, a truth value or a list of texts, unless it is an empty text or list. Values of other types,
// as settings may have, are left out.
func (a *attributes) add(name string, value any) {
	v := &commonpb.AnyValue{}
	switch value := value.(type) {
	case string:
		if value == "" {
			return
		}
		v = textValue(value)
	case int:
		v.Value = &commonpb.AnyValue_IntValue{IntValue: int64(value)}
	case float64:
		v.Value = &commonpb.AnyValue_DoubleValue{DoubleValue: value}
	case bool:
		v.Value = &commonpb.AnyValue_BoolValue{BoolValue: value}
	case []string:
		if len(value) == 0 {
			return
		}
		list := &commonpb.ArrayValue{}
		for _, text := range value {
			list.Values = append(list.Values, textValue(text))
		}
		v.Value = &commonpb.AnyValue_ArrayValue{ArrayValue: list}
	case []any:
		var list []string
		for _, item := range value {
			list = append(list, fmt.Sprint(item))
		}
		a.add(name, list)
		return
	default:
		return
	}
	*a = append(*a, &commonpb.KeyValue{Key: name, Value: v})
}

// textValue is a text. Protobuf refuses invalid UTF-8.
func textValue(s string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: valid(s)}}
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// short leaves out the middle of a text that is too long, and states how much.
func short(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	left := len(s) - limit
	head := strings.ToValidUTF8(s[:limit/2], "")
	tail := strings.ToValidUTF8(s[len(s)-limit/2:], "")
	return fmt.Sprintf("%s\n[... %d bytes left out; the run log has them]\n%s", head, left, tail)
}

// nanos returns a time in nanoseconds since 1970; 0 for none.
func nanos(t time.Time) uint64 {
	if t.Unix() <= 0 {
		return 0
	}
	return uint64(t.UnixNano()) //nolint:gosec // after 1970
}

// failed marks a span as failed with a class of errors.
func failed(s *tracepb.Span, class, message string) {
	list := attributes(s.Attributes)
	list.add("error.type", class)
	s.Attributes = list
	s.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: short(valid(message), maxMessage)}
}

// maxMessage is the maximum length of the message of a failed span.
const maxMessage = 4 << 10
