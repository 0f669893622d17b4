package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxHead and maxDim limit allocations for a corrupt file.
const (
	maxHead = 4096
	maxDim  = 1 << 16
)

// errDamaged means that a file does not start like a cache.
var errDamaged = errors.New("the file is damaged or not a vector cache; remove it to embed the texts again")

type head struct {
	model, hash string
	dim         int
	length      int64
}

func readHead(in io.Reader) (head, error) {
	fixed := make([]byte, len(magic)+8)
	if _, err := io.ReadFull(in, fixed); err != nil || string(fixed[:len(magic)]) != magic {
		return head{}, errDamaged
	}
	if v := binary.LittleEndian.Uint32(fixed[len(magic):]); v != format {
		return head{}, fmt.Errorf("format %d; this program reads format %d", v, format)
	}
	n := binary.LittleEndian.Uint32(fixed[len(magic)+4:])
	if n > maxHead {
		return head{}, errDamaged
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(in, text); err != nil {
		return head{}, errDamaged
	}
	parts := strings.Split(string(text), "\n")
	if len(parts) != 3 {
		return head{}, errDamaged
	}
	dim, err := strconv.Atoi(parts[2])
	if err != nil || dim < 1 || dim > maxDim {
		return head{}, errDamaged
	}
	return head{model: parts[0], hash: parts[1], dim: dim, length: int64(len(fixed)) + int64(n)}, nil
}
