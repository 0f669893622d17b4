package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"

	"airqa/internal/files"
)

// opened is a text file as UTF-8 without a byte order mark. note explains how it was decoded, if that is not obvious.
type opened struct {
	io.Reader
	io.Closer
	note string
}

// openText opens a text file. One that is UTF-8 is streamed; any other one, and a pipe, is decoded in memory.
func openText(path string) (*opened, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() {
		plain, unread := isUTF8(file)
		_, err = file.Seek(0, io.SeekStart)
		if err = errors.Join(unread, err); err == nil && plain {
			return &opened{files.TextReader(file), file, ""}, nil
		}
	}
	var raw []byte
	if err == nil {
		raw, err = io.ReadAll(file)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	text, note, err := decodeFile(path, raw)
	return &opened{bytes.NewReader(text), io.NopCloser(nil), note}, err
}

// isUTF8 reads a whole file and reports whether it is UTF-8 without the byte 0.
func isUTF8(in io.Reader) (bool, error) {
	_, err := io.Copy(withoutZero{}, transform.NewReader(in, encoding.UTF8Validator))
	if errors.Is(err, encoding.ErrInvalidUTF8) || errors.Is(err, errNoText) {
		return false, nil
	}
	return err == nil, err
}

// withoutZero refuses the byte 0, which no text has.
type withoutZero struct{}

func (withoutZero) Write(text []byte) (int, error) {
	if bytes.IndexByte(text, 0) >= 0 {
		return 0, errNoText
	}
	return len(text), nil
}

// readText reads a text file as UTF-8 and returns a note if it is something else.
func readText(path string) (text []byte, note string, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	return decodeFile(path, raw)
}

// decodeFile is [decode] with the name of the file in the error.
func decodeFile(path string, raw []byte) (text []byte, note string, err error) {
	if text, note, err = decode(raw); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return text, note, err
}

// decode returns a text as UTF-8 without a byte order mark: of UTF-8, of UTF-16, or of Windows-1252, which
// older versions of Excel write. It refuses what is neither, and a mixture.
func decode(raw []byte) (text []byte, note string, err error) {
	text = files.Text(raw)
	switch {
	case isBinary(raw):
		return nil, "", errNoText
	case bytes.IndexByte(text, 0) >= 0: // no text has a zero character
		return nil, "", errors.New("not a text file: save it as UTF-8")
	case !bytes.HasSuffix(raw, text):
		return text, "UTF-16", nil
	case utf8.Valid(text):
		return text, "", nil
	}
	return decodeWindows(raw)
}

// decodeWindows decodes Windows-1252. It refuses a text with characters of UTF-8, which would become several letters, and
// one with bytes that Windows-1252 does not use.
func decodeWindows(raw []byte) (text []byte, note string, err error) {
	at, mixed := -1, false // the first byte that is not UTF-8, and whether there are characters of several bytes that are
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRune(raw[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			if at < 0 {
				at = i
			}
		case n > 1:
			mixed = true
		}
		i += n
	}
	line := 1 + bytes.Count(raw[:at], []byte{'\n'})
	if mixed {
		return nil, "", fmt.Errorf("line %d is not UTF-8, but other lines are: save the file as UTF-8", line)
	}
	for _, unused := range []byte{0x81, 0x8d, 0x8f, 0x90, 0x9d} {
		if before, _, found := bytes.Cut(raw, []byte{unused}); found {
			line := 1 + bytes.Count(before, []byte{'\n'})
			return nil, "", fmt.Errorf("line %d is neither UTF-8 nor Windows-1252: save the file as UTF-8", line)
		}
	}
	if text, err = charmap.Windows1252.NewDecoder().Bytes(raw); err != nil {
		return nil, "", err
	}
	word, err := charmap.Windows1252.NewDecoder().Bytes(wordAt(raw, at))
	return text, fmt.Sprintf("Windows-1252, because line %d is not UTF-8 (“%s”; if that is wrong, save the file as UTF-8)", line, word), err
}

// errNoText means that a file is a PDF or, as those of Excel, an archive.
var errNoText = errors.New("not a text file; from a spreadsheet, save it as CSV in UTF-8")

// isBinary reports whether a text begins like a PDF, an archive or a program.
func isBinary(raw []byte) bool {
	return slices.ContainsFunc([]string{"%PDF-", "PK\x03\x04", "\x7fELF"}, func(s string) bool { return bytes.HasPrefix(raw, []byte(s)) })
}

// wordAt returns the word around a byte.
func wordAt(raw []byte, at int) []byte {
	const separators = " \t\r\n,;\""
	first := bytes.LastIndexAny(raw[:at], separators) + 1
	if n := bytes.IndexAny(raw[at:], separators); n >= 0 {
		return raw[first : at+n]
	}
	return raw[first:]
}
