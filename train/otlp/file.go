package otlp

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"airqa/internal/files"
	"airqa/internal/terminal"
)

// FileName is the name of the file in a folder.
const FileName = "traces.jsonl"

var errUnchanged = errors.New("unchanged")

// WriteFile writes [File] to a path: a file that ends in .json or .jsonl, or a folder for [FileName]. Another file in
// its place is an error unless force replaces it; unchanged reports that it has these bytes already.
func WriteFile(c Config, path string, force bool) (sum Summary, unchanged bool, err error) {
	if ext := filepath.Ext(path); ext != ".jsonl" && ext != ".json" {
		path = filepath.Join(path, FileName)
	}
	old, err := files.HashFile(path) // "" if there is none
	if files.IgnoreMissing(err) != nil {
		return sum, false, err
	}
	err = files.Write(path, func(w io.Writer) (err error) {
		h := sha256.New()
		buffered := bufio.NewWriterSize(io.MultiWriter(w, h), 1<<20)
		if sum, err = File(c, buffered); err == nil {
			err = buffered.Flush()
		}
		switch now := hex.EncodeToString(h.Sum(nil)); {
		case err != nil:
			return err
		case now == old:
			return errUnchanged
		case old != "" && !force:
			return &files.OccupiedError{Err: fmt.Errorf("%s contains something other than this export", path)}
		}
		return nil
	})
	if errors.Is(err, errUnchanged) {
		return sum, true, nil
	}
	return sum, false, err
}

// File writes all episodes as OTLP/JSON lines, one line per episode, as the file exporter of OpenTelemetry does. The
// same runs give the same bytes.
func File(c Config, out io.Writer) (sum Summary, err error) {
	stage := c.Progress.Stage("write spans", len(c.Runs))
	defer func() { stage.Close(terminal.Plural(sum.Episodes, "episode")) }()
	err = c.each(stage, func(spans []*tracepb.Span) error {
		line, err := encodeLine(&tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{c.packed(spans)}})
		if err != nil {
			return err
		}
		sum.Episodes++
		sum.Spans += len(spans)
		_, err = out.Write(line)
		return err
	})
	return sum, err
}

// idField matches an id. Quotes inside a text are escaped, so it matches keys only.
var idField = regexp.MustCompile(`"(traceId|spanId|parentSpanId)":"([A-Za-z0-9+/=]*)"`)

// encodeLine returns OTLP/JSON, which is the JSON of Protobuf but for ids in hex and enumerations as numbers.
func encodeLine(data *tracepb.TracesData) ([]byte, error) {
	raw, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(data)
	if err != nil {
		return nil, err
	}
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil { // protojson varies its whitespace on purpose
		return nil, err
	}
	text := idField.ReplaceAllFunc(line.Bytes(), func(field []byte) []byte {
		at := idField.FindSubmatchIndex(field)
		id, err := base64.StdEncoding.DecodeString(string(field[at[4]:at[5]]))
		if err != nil {
			return field
		}
		return append(hex.AppendEncode(field[:at[4]:at[4]], id), '"')
	})
	return append(text, '\n'), nil
}
