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

func (a *attributes) add(name string, value *commonpb.AnyValue) {
	*a = append(*a, &commonpb.KeyValue{Key: name, Value: value})
}

// text adds a text, unless it is empty. Protobuf refuses invalid UTF-8.
func (a *attributes) text(name, value string) {
	if value != "" {
		a.add(name, textValue(value))
	}
}

func (a *attributes) texts(name string, values []string) {
	if len(values) == 0 {
		return
	}
	list := &commonpb.ArrayValue{}
	for _, v := range values {
		list.Values = append(list.Values, textValue(v))
	}
	a.add(name, &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: list}})
}

func (a *attributes) number(name string, value int) {
	a.add(name, &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: int64(value)}})
}

func (a *attributes) float(name string, value float64) {
	a.add(name, &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: value}})
}

func (a *attributes) flag(name string, value bool) {
	a.add(name, &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: value}})
}

// any adds a value of a setting: a text, a number, a truth value or a list of texts. Others are left out.
func (a *attributes) any(name string, value any) {
	switch v := value.(type) {
	case string:
		a.text(name, v)
	case float64:
		a.float(name, v)
	case bool:
		a.flag(name, v)
	case []any:
		var list []string
		for _, item := range v {
			list = append(list, fmt.Sprint(item))
		}
		a.texts(name, list)
	}
}

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
	list.text("error.type", class)
	s.Attributes = list
	s.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: short(valid(message), maxMessage)}
}

// maxMessage is the maximum length of the message of a failed span.
const maxMessage = 4 << 10
