package files_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"airqa/internal/files"
)

func encoded(text string, order binary.ByteOrder, mark bool) []byte {
	if mark {
		text = "\ufeff" + text
	}
	var b bytes.Buffer
	_ = binary.Write(&b, order, utf16.Encode([]rune(text)))
	return b.Bytes()
}

// A text is the same in every encoding that editors and shells write, read at once, as a stream or from a file.
func TestText(t *testing.T) {
	texts := map[string]string{
		"empty": "", "short": "a", "lines": "ids\r\n\U0001F600 caf\u00e9\n", "Latin and others": "question,answer\n\u8bba\u6587\u3000x,42\n",
		"long": strings.Repeat(`{"question": "How m\u00e1ny\u3000?"}`+"\n", 3000),
	}
	for name, text := range texts {
		for encoding, raw := range map[string][]byte{
			"UTF-8": []byte(text), "marked": []byte("\ufeff" + text),
			"little": encoded(text, binary.LittleEndian, true), "big": encoded(text, binary.BigEndian, true),
			"little without mark": encoded(text, binary.LittleEndian, false), "big without mark": encoded(text, binary.BigEndian, false),
		} {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				t.Fatal(err)
			}
			read, err := files.ReadText(path)
			slow, _ := io.ReadAll(files.TextReader(iotest.OneByteReader(bytes.NewReader(raw))))
			for way, got := range map[string][]byte{"at once": files.Text(raw), "file": read, "slow": slow} {
				if string(got) != text || err != nil {
					t.Errorf("%s as %s, %s: %.60q, %v", name, encoding, way, got, err)
				}
			}
		}
	}
}

// Other bytes stay as they are, so that what reads them can refuse them.
func TestTextOfOthers(t *testing.T) {
	for _, raw := range []string{"Z\xfcrich", "a\x00b", "\x00", "PK\x03\x04\x00\x00\x00\x00", "a \ufeff mark inside", "\xff"} {
		if got := string(files.Text([]byte(raw))); got != raw {
			t.Errorf("%q became %q", raw, got)
		}
	}
	if _, err := files.ReadText(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
	broken := iotest.ErrReader(io.ErrClosedPipe)
	if _, err := io.ReadAll(files.TextReader(broken)); err == nil {
		t.Error("the error of the reader is lost")
	}
}
