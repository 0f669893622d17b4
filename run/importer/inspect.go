package importer

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"airqa/internal/files"
)

// maxUnpacked limits all samples of a log together, in bytes.
const maxUnpacked = 64 << 30

// inspectLog imports the samples of a log of inspect_ai.
type inspectLog struct {
	// header describes the run, as far as it is used.
	header struct {
		Status string `json:"status"`
		Eval   struct {
			Created  when              `json:"created"`
			Task     string            `json:"task"`
			Model    string            `json:"model"`
			Packages map[string]string `json:"packages"`
			Scorers  []struct {
				Name string `json:"name"`
			} `json:"scorers"`
		} `json:"eval"`
		Samples []json.RawMessage `json:"samples"`
	}
	name string
	to   *writer
	// numbers counts NaN and infinite numbers of the log until the next sample takes them over.
	numbers Losses
}

// read reads a log in JSON; false if it is none.
func (l *inspectLog) read(raw []byte) bool {
	var keys struct{ Eval, Samples, Steps json.RawMessage }
	return json.Unmarshal(raw, &keys) == nil && keys.Steps == nil && (keys.Eval != nil || keys.Samples != nil) &&
		json.Unmarshal(raw, &l.header) == nil
}

// samples imports the samples of a log in JSON.
func (l *inspectLog) samples(ctx context.Context) error {
	for _, raw := range l.header.Samples {
		if err := errors.Join(ctx.Err(), l.sample(raw)); err != nil {
			return err
		}
	}
	return l.end(len(l.header.Samples))
}

// zipped imports a log whose samples are members of a zip file; false if it is another file.
func (r *reader) zipped(ctx context.Context, name string) (ok bool, err error) {
	file, size, err := files.OpenRegular(r.root, name)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	z, err := zip.NewReader(file, size)
	if errors.Is(err, zip.ErrFormat) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	z.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(512<<20)))
	l := &inspectLog{name: path.Base(name), to: r.to, numbers: make(Losses)}
	if err := l.readHeader(z); err != nil {
		return true, err
	}
	samples, left := 0, int64(maxUnpacked)
	for _, member := range z.File {
		if path.Dir(member.Name) != "samples" || path.Ext(member.Name) != ".json" {
			continue
		}
		raw, err := l.unpack(member, min(left, r.to.MaxFile, maxSample))
		if err == nil {
			err = errors.Join(ctx.Err(), l.sample(raw))
		}
		if err != nil {
			return true, fmt.Errorf("%s: %w", member.Name, err)
		}
		left -= int64(len(raw))
		samples++
	}
	return true, l.end(samples)
}

// readHeader reads the description of the run. A log that was cut off has only its beginning.
func (l *inspectLog) readHeader(z *zip.Reader) error {
	for _, name := range []string{"header.json", "_journal/start.json"} {
		at := slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == name })
		if at < 0 {
			continue
		}
		raw, err := l.unpack(z.File[at], min(l.to.MaxFile, maxSample))
		if err != nil {
			return err
		}
		return json.Unmarshal(raw, &l.header)
	}
	return errors.New("not an inspect_ai log: header.json is missing")
}

// unpack reads JSON of at most limit bytes: a small file may unpack to gigabytes. archive/zip reads no more than the size in
// the member's header.
func (l *inspectLog) unpack(member *zip.File, limit int64) ([]byte, error) {
	if member.UncompressedSize64 > uint64(limit) {
		return nil, fmt.Errorf("more than %d MiB when unpacked", limit>>20)
	}
	in, err := member.Open()
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(in)
	return l.to.safe(l.numbers.finite(raw)), errors.Join(err, in.Close())
}

// end checks that the log was not empty.
func (l *inspectLog) end(samples int) error {
	if samples == 0 {
		return errors.New("no samples; the log may come from inspect eval --no-log-samples")
	}
	if status := l.header.Status; status != "" && status != "success" {
		l.to.Notify.Warnf("%s: the evaluation ended with status %s; it has %d samples", l.name, strings.ToValidUTF8(status, ""), samples)
	}
	return nil
}
