package worker

import (
	"encoding/binary"
	"fmt"
	"io"
)

// maxFrame is the maximum length of a message in bytes, in either direction.
const maxFrame = 64 << 20

// writeFrame writes a message: its length in 4 bytes, big-endian, and its body.
func writeFrame(w io.Writer, body []byte) error {
	if len(body) > maxFrame {
		return fmt.Errorf("write a message of %d bytes: the limit is %d", len(body), maxFrame)
	}
	message := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(body)), uint32(len(body)))
	_, err := w.Write(append(message, body...))
	return err
}

// readFrame reads a message; io.EOF means that the other side is done.
func readFrame(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	length := binary.BigEndian.Uint32(head[:])
	if length > maxFrame {
		return nil, fmt.Errorf("read a message of %d bytes: the limit is %d", length, maxFrame)
	}
	body := make([]byte, length)
	_, err := io.ReadFull(r, body)
	return body, err
}
