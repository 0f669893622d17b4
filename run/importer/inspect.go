package importer

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"airqa/internal/files"
)

// methodZstd is the method of members of a zip file that are compressed with Zstandard, as inspect_ai writes them.
const methodZstd = 93

// maxUnpacked limits all samples of a log together, in bytes.
const maxUnpacked = 64 << 30

// isInspect reports whether a file is a log of inspect_ai.
func isInspect(name string) (bool, error) {
	file, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	head, err := bufio.NewReader(file).Peek(4)
	if err == nil && bytes.HasPrefix(head, []byte("PK")) {
		return true, nil
	}
	if filepath.Ext(name) != ".json" {
		return false, nil
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	return startsAsLog(files.TextReader(file)), nil
}

// startsAsLog reports whether JSON has the keys of a log before it has steps.
func startsAsLog(r io.Reader) bool {
	dec := json.NewDecoder(r)
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil || key == "steps" || key == "schema_version" {
			return false
		}
		if key == "eval" || key == "samples" {
			return true
		}
		var skip json.RawMessage
		if dec.Decode(&skip) != nil {
			return false
		}
	}
	return false
}

// readInspect imports a log of inspect_ai.
func readInspect(ctx context.Context, name string, w *writer) error {
	var err error
	if file, openErr := zip.OpenReader(name); openErr == nil {
		err = errors.Join(readZip(ctx, filepath.Base(name), &file.Reader, w), file.Close())
	} else if errors.Is(openErr, zip.ErrFormat) {
		err = readLog(ctx, name, w)
	} else {
		err = openErr
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// readLog imports a log in JSON.
func readLog(ctx context.Context, name string, w *writer) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if info.Size() > w.MaxFile {
		return fmt.Errorf("more than %d MiB; inspect log convert --to eval makes a log that is read sample by sample", w.MaxFile>>20)
	}
	raw, err := files.ReadText(name)
	if err != nil {
		return err
	}
	var log struct {
		header
		Samples []json.RawMessage `json:"samples"`
	}
	numbers := make(Losses)
	if err := json.Unmarshal(finite(raw, numbers), &log); err != nil {
		return err
	}
	l := &inspectLog{header: log.header, name: filepath.Base(name), to: w, numbers: numbers}
	for _, sample := range log.Samples {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := l.sample(sample); err != nil {
			return err
		}
	}
	return l.end(len(log.Samples))
}

// readZip imports a log whose samples are members of a zip file.
func readZip(ctx context.Context, name string, z *zip.Reader, w *writer) error {
	z.RegisterDecompressor(methodZstd, func(r io.Reader) io.ReadCloser {
		dec, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(512<<20))
		if err != nil {
			return io.NopCloser(failing{err})
		}
		return dec.IOReadCloser()
	})
	l := &inspectLog{name: name, to: w, numbers: make(Losses)}
	if err := l.readHeader(z); err != nil {
		return err
	}
	samples, left := 0, int64(maxUnpacked)
	for _, member := range z.File {
		if path.Dir(member.Name) != "samples" || path.Ext(member.Name) != ".json" {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		raw, err := unpack(member, min(left, w.MaxFile, maxSample))
		if err == nil {
			err = l.sample(raw)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", member.Name, err)
		}
		left -= int64(len(raw))
		samples++
	}
	return l.end(samples)
}

// failing is a reader that fails.
type failing struct{ err error }

// Read returns the error.
func (f failing) Read([]byte) (int, error) { return 0, f.err }

// readHeader reads the description of the run. A log that was cut off has only its beginning.
func (l *inspectLog) readHeader(z *zip.Reader) error {
	for _, name := range []string{"header.json", "_journal/start.json"} {
		for _, member := range z.File {
			if member.Name != name {
				continue
			}
			raw, err := unpack(member, min(l.to.MaxFile, maxSample))
			if err == nil {
				err = json.Unmarshal(finite(raw, l.numbers), &l.header)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		}
	}
	return errors.New("not an inspect_ai log: header.json is missing")
}

// unpack reads a member of at most limit bytes, whatever its header promises. It counts the bytes before it keeps any: a
// small file may unpack to gigabytes.
func unpack(member *zip.File, limit int64) ([]byte, error) {
	var raw bytes.Buffer
	for _, to := range []io.Writer{io.Discard, &raw} {
		in, err := member.Open()
		if err != nil {
			return nil, err
		}
		n, err := io.Copy(to, io.LimitReader(in, limit+1))
		if err = errors.Join(err, in.Close()); err != nil {
			return nil, err
		}
		if n > limit {
			return nil, fmt.Errorf("more than %d MiB when unpacked", limit>>20)
		}
		raw.Grow(int(n))
	}
	return raw.Bytes(), nil
}

// end checks that the log was not empty.
func (l *inspectLog) end(samples int) error {
	if samples == 0 {
		return errors.New("no samples; the log may come from inspect eval --no-log-samples")
	}
	if l.Status != "" && l.Status != "success" {
		l.to.Notify.Warnf("%s: the evaluation ended with status %s; it has %d samples", l.name, strings.ToValidUTF8(l.Status, ""), samples)
	}
	return nil
}
