package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Text is a string that JSON preserves byte for byte: valid UTF-8 is an ordinary JSON string, anything else is
// {"quoted": "…"} with Go's \x escapes.
type Text string

type quotedText struct {
	Quoted string `json:"quoted"`
}

// MarshalJSON writes one of the two forms.
func (t Text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(quotedText{strconv.QuoteToASCII(string(t))})
}

// UnmarshalJSON reads both forms.
func (t *Text) UnmarshalJSON(raw []byte) error {
	if !bytes.HasPrefix(raw, []byte("{")) {
		return json.Unmarshal(raw, (*string)(t))
	}
	var q quotedText
	if err := json.Unmarshal(raw, &q); err != nil {
		return err
	}
	s, err := strconv.Unquote(q.Quoted)
	if err != nil {
		return fmt.Errorf("quoted text: %w", err)
	}
	*t = Text(s)
	return nil
}

// UnmarshalJSONFrom reads both forms for go-json-experiment/json, without a copy of the JSON of a long text.
func (t *Text) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	if in.PeekKind() == '"' {
		return jsonv2.UnmarshalDecode(in, (*string)(t))
	}
	raw, err := in.ReadValue()
	if err != nil {
		return err
	}
	return t.UnmarshalJSON(raw)
}
