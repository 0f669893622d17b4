package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
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
