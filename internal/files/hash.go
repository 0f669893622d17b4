package files

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// Hash returns the SHA-256 of data in lower-case hex.
func Hash[T string | []byte](data T) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

// HashReader is [Hash] of all that r has.
func HashReader(r io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), err
}

// HashFile is [Hash] of the content of a file.
func HashFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	return HashReader(file)
}
