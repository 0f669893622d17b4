package files

import (
	"bufio"
	"bytes"
	"io"
	"os"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// ReadText reads a text that a person wrote, as [TextReader] reads it.
func ReadText(path string) ([]byte, error) {
	raw, err := os.ReadFile(path)
	return Text(raw), err
}

// Text is a text that a person wrote, as [TextReader] reads it.
func Text(raw []byte) []byte {
	text, _ := io.ReadAll(TextReader(bytes.NewReader(raw))) // no reader and no decoder fails
	return text
}

// headBytes is the size of the beginning of a text that shows how it is encoded.
const headBytes = 4096

// TextReader reads a text as editors, spreadsheets and shells write it: UTF-8 or UTF-16, with or without a byte order mark. It
// returns UTF-8 without a mark. Other encodings stay as they are.
func TextReader(in io.Reader) io.Reader {
	head := bufio.NewReaderSize(in, headBytes)
	start, _ := head.Peek(headBytes) // the next read returns the error
	var plain transform.Transformer = encoding.Nop.NewDecoder()
	// Without a mark, UTF-16 shows by Latin letters, which have a zero in every second byte.
	var zeros [2]int
	for i, c := range start {
		if c == 0 {
			zeros[i%2]++
		}
	}
	order, most, least := unicode.LittleEndian, zeros[1], zeros[0]
	if least > most {
		order, most, least = unicode.BigEndian, least, most
	}
	const share, rest = 4, 8 // a space of other scripts may have its zero in the other byte
	if most > 0 && len(start)%2 == 0 && most*share >= len(start)/2 && least*rest <= most {
		plain = unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder()
	}
	return transform.NewReader(head, unicode.BOMOverride(plain))
}
