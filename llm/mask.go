package llm

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
)

// mask stands between the texts of a call and langchaingo's clients, which encode, check and compact all of a request
// several times over: with twenty kilobytes of text that was most of the processor time of a call, and pictures have
// hundreds. The clients get a short mark for each text, and the marks are replaced in the finished request.
//
// A mark cannot stand in a text by chance or intent: it is random, and is never sent.
type mask struct {
	mark string
	// coded is the mark as the clients that take binary data encode it.
	coded  string
	values [][]byte
	size   int
}

// markBytes is a multiple of three, so that the mark's base64 form has no trace of what follows it; so is digits.
const (
	markBytes = 9
	digits    = 6
)

// newMark makes a mark for [newMask].
func newMark() string {
	random := make([]byte, markBytes)
	_, _ = rand.Read(random) // never fails
	return fmt.Sprintf("%x", random)
}

func newMask(mark string) *mask {
	return &mask{mark: mark, coded: base64.StdEncoding.EncodeToString([]byte(mark))}
}

// text returns the mark for a text; an empty text is its own.
func (m *mask) text(text string) string {
	if text == "" {
		return ""
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return "" // no string fails
	}
	return m.hide(quoted[1 : len(quoted)-1])
}

// base64 returns the mark for data that the request holds as base64, and the client takes as that text.
func (m *mask) base64(data []byte) string {
	coded := make([]byte, base64.StdEncoding.EncodedLen(len(data)))
	base64.StdEncoding.Encode(coded, data)
	return m.hide(coded)
}

// binary returns the mark for data that the client encodes as base64 itself.
func (m *mask) binary(data []byte) []byte { return []byte(m.base64(data)) }

func (m *mask) hide(value []byte) string {
	m.values = append(m.values, value)
	m.size += len(value)
	return fmt.Sprintf("%s%0*d", m.mark, digits, len(m.values)-1)
}

// lift writes the values in the places of their marks.
func (m *mask) lift(body []byte) ([]byte, error) {
	out := make([]byte, 0, len(body)+m.size)
	for {
		at, length := m.next(body)
		if at < 0 {
			return append(out, body...), nil
		}
		number := body[at+length : at+length+digits*length/len(m.mark)]
		if length == len(m.coded) {
			plain, err := base64.StdEncoding.DecodeString(string(number))
			if err != nil {
				return nil, err
			}
			number = plain
		}
		i, err := strconv.Atoi(string(number))
		if err != nil || i >= len(m.values) {
			return nil, fmt.Errorf("no text %q", number)
		}
		out = append(append(out, body[:at]...), m.values[i]...)
		body = body[at+length+digits*length/len(m.mark):]
	}
}

// next finds the first mark of either form; -1 without one.
func (m *mask) next(body []byte) (at, length int) {
	plain, coded := bytes.Index(body, []byte(m.mark)), bytes.Index(body, []byte(m.coded))
	if coded >= 0 && (plain < 0 || coded < plain) {
		return coded, len(m.coded)
	}
	return plain, len(m.mark)
}
