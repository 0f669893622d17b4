package embed

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"airqa/internal/files"
	"airqa/internal/ledger"
)

// File format: "AIRQAEMB", uint32 format, uint32 length of the head, the head (the model's name, a newline, its hash, a
// newline, the dimension, as text), then records of 16 bytes of the text's SHA-256, dim float32 and a CRC-32C of both.
// Numbers are little-endian.
const (
	magic  = "AIRQAEMB"
	format = 1
	keyLen = 16
)

type key [keyLen]byte

// TextHash identifies a text among those of one cell. It is never 0.
func TextHash(text string) int64 {
	k := keyOf(text)
	return int64(max(binary.BigEndian.Uint64(k[:]), 1))
}

func keyOf(text string) key {
	sum := sha256.Sum256([]byte(text))
	return key(sum[:keyLen])
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Cache is an embedder that keeps its vectors on disk, by text, so that no text is embedded twice: not after an interrupted
// ingest, not for a second vector store. It is cleared when the search index has the vectors. Only one process can open its
// file at a time. The records are read when the first text is looked up. It is safe for concurrent use.
//
// The file holds the vectors of one model. An incomplete record at the end is truncated. A damaged record is skipped and its
// space reused for the next vector, so damage affects a single text.
type Cache struct {
	inner Embedder
	lock  io.Closer

	mu   sync.Mutex
	file *os.File
	dim  int
	size int64         // bytes of the head and all records; only of the head until they are read
	at   map[key]int64 // offset of the vector; nil until they are read
	free []int64       // offsets of damaged records

	damaged func(n int)
}

// OpenCache opens the cache of inner's model at path and creates it if it is missing. If the file belongs to another model,
// the error wraps ErrMismatch. When the records are read, damaged receives the number of damaged ones, if there are any: their
// texts will be embedded again.
func OpenCache(path string, inner Embedder, damaged func(n int)) (*Cache, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("open vector cache: %w", err)
	}
	lock, err := files.Lock(path + ".lock")
	if err != nil {
		return nil, fmt.Errorf("open vector cache: %w", err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open vector cache: %w", err), lock.Close())
	}
	c := &Cache{inner: inner, lock: lock, file: file, damaged: damaged}
	if err := c.readHead(); err != nil {
		return nil, errors.Join(fmt.Errorf("open vector cache %s: %w", filepath.Base(path), err), c.Close())
	}
	return c, nil
}

// Info describes the wrapped model.
func (c *Cache) Info() Info {
	info := c.inner.Info()
	c.mu.Lock()
	defer c.mu.Unlock()
	if info.Dim == 0 {
		info.Dim = c.dim
	}
	return info
}

// Windows splits a passage as the wrapped model does.
func (c *Cache) Windows(text string) []string { return c.inner.Windows(text) }

// PartRead asks the wrapped model.
func (c *Cache) PartRead(text string) int { return PartRead(c.inner, text) }

// Has reports whether the vector of a text is cached.
func (c *Cache) Has(text string) (bool, error) {
	_, ok, err := c.find(keyOf(text))
	return ok, err
}

// find returns the offset of a vector.
func (c *Cache) find(k key) (offset int64, ok bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err = c.load()
	offset, ok = c.at[k]
	return offset, ok, err
}

// Close releases the file.
func (c *Cache) Close() error { return errors.Join(c.file.Close(), c.lock.Close()) }

// Embed reads cached vectors. It asks the model for the rest in the model's blocks, and stores each block as soon as it is there.
// After a failure it begins no more blocks, and waits for those in flight. An error of the model is a [*FailedError].
func (c *Cache) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	unknown, _, err := c.unknown(texts)
	if err != nil {
		return nil, err
	}
	blocks := BlocksOf(c.inner)
	group, failed := errgroup.WithContext(ctx)
	group.SetLimit(blocks.Calls)
	for block := range slices.Chunk(unknown, blocks.Texts) {
		group.Go(func() error {
			if failed.Err() != nil {
				return failed.Err()
			}
			return c.ask(ctx, block)
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if vectors[i], _, err = c.read(keyOf(text)); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

// unknown returns the texts that are not cached, each once, and their positions.
func (c *Cache) unknown(texts []string) (list []string, at []int, err error) {
	seen := make(map[string]bool)
	for i, text := range texts {
		has, err := c.Has(text)
		if err != nil {
			return nil, nil, err
		}
		if !has && !seen[text] {
			seen[text] = true
			list, at = append(list, text), append(at, i)
		}
	}
	return list, at, nil
}

// ask asks the model, and stores the vectors.
func (c *Cache) ask(ctx context.Context, texts []string) error {
	made, err := c.inner.Embed(ctx, texts)
	if err == nil && len(made) != len(texts) {
		err = fmt.Errorf("the embedding model returned %d vectors for %d texts", len(made), len(texts))
	}
	switch {
	case err == nil:
		return c.append(texts, made)
	case ctx.Err() == nil:
		return &FailedError{err}
	}
	return err
}

// Put stores vectors of texts that are not cached yet.
func (c *Cache) Put(texts []string, made [][]float32) error {
	unknown, at, err := c.unknown(texts)
	if err != nil || len(unknown) == 0 {
		return err
	}
	vectors := make([][]float32, len(unknown))
	for n, i := range at {
		vectors[n] = made[i]
	}
	return c.append(unknown, vectors)
}

// Clear removes all vectors.
func (c *Cache) Clear() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.file.Truncate(0); err != nil {
		return fmt.Errorf("clear vector cache: %w", err)
	}
	c.size, c.at, c.free = 0, make(map[key]int64), nil
	return nil
}

func (c *Cache) read(k key) ([]float32, bool, error) {
	offset, ok, err := c.find(k)
	if !ok || err != nil {
		return nil, false, err
	}
	raw := make([]byte, 4*c.dim) // constant once there is a vector
	if _, err := c.file.ReadAt(raw, offset); err != nil {
		return nil, false, fmt.Errorf("read vector cache: %w", err)
	}
	v := make([]float32, c.dim)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return v, true, nil
}

// append stores vectors in the space of damaged records first, then at the end.
func (c *Cache) append(texts []string, made [][]float32) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.load(); err != nil {
		return err
	}
	if c.size == 0 {
		if err := c.create(len(made[0])); err != nil {
			return err
		}
	}
	for _, v := range made {
		if len(v) != c.dim {
			return &FailedError{fmt.Errorf("store vectors: a vector of %d numbers in a cache of %d", len(v), c.dim)}
		}
	}
	for len(c.free) > 0 && len(made) > 0 {
		if err := c.write(c.free[0], texts[:1], made[:1]); err != nil {
			return err
		}
		c.free, texts, made = c.free[1:], texts[1:], made[1:]
	}
	if err := c.write(c.size, texts, made); err != nil {
		return err
	}
	c.size += int64(len(made) * recordLen(c.dim))
	return nil
}

// write stores records at an offset.
func (c *Cache) write(offset int64, texts []string, made [][]float32) error {
	var out []byte
	for i, v := range made {
		start, k := len(out), keyOf(texts[i])
		out = append(out, k[:]...)
		for _, x := range v {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
		out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(out[start:], castagnoli))
	}
	if _, err := c.file.WriteAt(out, offset); err != nil {
		return fmt.Errorf("store vectors: %w", err)
	}
	for i := range made {
		c.at[keyOf(texts[i])] = offset + int64(i*recordLen(c.dim)) + keyLen
	}
	return nil
}

func recordLen(dim int) int { return keyLen + 4*dim + 4 }

// create writes the head of a new file.
func (c *Cache) create(dim int) error {
	info := c.inner.Info()
	head := fmt.Sprintf("%s\n%s\n%d", info.Model, info.Hash, dim)
	raw := []byte(magic)
	raw = binary.LittleEndian.AppendUint32(raw, format)
	raw = binary.LittleEndian.AppendUint32(raw, uint32(len(head)))
	raw = append(raw, head...)
	if _, err := c.file.WriteAt(raw, 0); err != nil {
		return fmt.Errorf("create vector cache: %w", err)
	}
	c.dim, c.size = dim, int64(len(raw))
	return nil
}

// readHead reads the head, unless the file is empty.
func (c *Cache) readHead() error {
	info, err := c.file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	head, err := readHead(c.file)
	if err != nil {
		return err
	}
	c.dim, c.size = head.dim, head.length
	return c.inner.Info().Check(Info{Model: head.model, Hash: head.hash, Dim: head.dim})
}

// load reads the keys of the records, once. It collects the offsets of damaged records and truncates an incomplete record at
// the end. The caller holds mu.
func (c *Cache) load() error {
	if c.at != nil {
		return nil
	}
	at, free, size := make(map[key]int64), []int64(nil), c.size
	record := make([]byte, recordLen(c.dim))
	for in := bufio.NewReaderSize(io.NewSectionReader(c.file, size, math.MaxInt64-size), 1<<20); size > 0; {
		_, err := io.ReadFull(in, record)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read vector cache: %w", err)
		}
		body := record[:len(record)-4]
		if crc32.Checksum(body, castagnoli) == binary.LittleEndian.Uint32(record[len(body):]) {
			at[key(record[:keyLen])] = size + keyLen
		} else {
			free = append(free, size)
		}
		size += int64(len(record))
	}
	if len(free) > 0 {
		c.damaged(len(free))
	}
	c.at, c.free, c.size = at, free, size
	return c.file.Truncate(size)
}

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
	v := binary.LittleEndian.Uint32(fixed[len(magic):])
	if err := ledger.CheckFormat(int(v), format, "remove it to embed the texts again"); err != nil {
		return head{}, err
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
