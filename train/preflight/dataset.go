package preflight

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // formats of images
	_ "image/png"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"airqa/internal/files"
	"airqa/train/format"
)

// Options name the files to check. The fields of Length take the place of the values in llamafactory.yaml or trl.yaml of the folder.
type Options struct {
	// Path is a file of rows, or a folder: an export, or one with a dataset_info.json.
	Path string `arg:"" name:"file" help:"Training data: a .json or .jsonl file, or a folder: an export or one with dataset_info.json."`
	// Format is empty to detect it from the first row.
	Format format.Format `enum:",sharegpt,openai,trl,dpo,kto,atif" default:"" placeholder:"FORMAT" help:"sharegpt, openai, trl, dpo, kto or atif. Default: the format of the first row."`
	Length
	// Trainer chooses the rows of a folder that has rows of several.
	Trainer Trainer `default:"llamafactory" enum:"llamafactory,trl,openai" help:"Trainer whose files of a folder are read, and whose loader --python runs: llamafactory, trl or openai."`
}

// Dataset is the files of one data set.
type Dataset struct {
	Options
	settings map[string]any // of the trainer
	counter  *Counter
	special  *Special
	files    []*dataFile
}

type dataFile struct {
	name, path string
	entry      map[string]any // of dataset_info.json; nil if there is none
	run        *TrainerTotal
}

// Open finds the files and reads the settings. The rows are read by [Dataset.Rows].
func Open(o Options) (d *Dataset, err error) {
	d = &Dataset{Options: o}
	if info, err := os.Stat(o.Path); err != nil {
		return nil, err
	} else if !info.IsDir() {
		d.files = []*dataFile{{name: filepath.Base(o.Path), path: o.Path}}
	} else if err := d.openFolder(); err != nil {
		return nil, err
	}
	if name, ok := d.settings["template"].(string); ok && d.Template == "" {
		d.Template = name
	}
	for _, key := range []string{"cutoff_len", "max_length"} {
		if n, ok := d.settings[key].(int); ok && d.CutoffLen == 0 {
			d.CutoffLen = n
		}
	}
	if info, err := os.Stat(d.Tokenizer); err == nil && info.IsDir() {
		d.Tokenizer = filepath.Join(d.Tokenizer, "tokenizer.json")
	}
	if d.counter, err = New(d.Length); err != nil {
		return nil, err
	}
	d.special = d.counter.Special()
	return d, nil
}

// openFolder finds the files of a folder: those of dataset_info.json for LLaMA-Factory, otherwise the rows of an export.
func (d *Dataset) openFolder() error {
	if err := d.readSettings(); err != nil {
		return err
	}
	if d.Trainer == LLaMAFactory {
		if err := d.readInfo(); err != nil || len(d.files) > 0 {
			return err
		}
	}
	for _, pattern := range []string{"trajectories/*.json", "data/*.jsonl", "*/*.parquet", "*.jsonl"} {
		paths, err := filepath.Glob(filepath.Join(d.Path, pattern))
		if err != nil {
			return err
		}
		for _, path := range paths {
			name, _ := filepath.Rel(d.Path, path)
			d.files = append(d.files, &dataFile{name: filepath.ToSlash(name), path: path})
		}
		if len(paths) > 0 {
			return nil
		}
	}
	return fmt.Errorf("%s has no file of rows", d.Path)
}

func (d *Dataset) readInfo() error {
	const name = "dataset_info.json"
	raw, err := files.ReadText(filepath.Join(d.Path, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var entries map[string]map[string]any
	if err == nil {
		err = json.Unmarshal(raw, &entries)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		if file, ok := entries[key]["file_name"].(string); ok {
			d.files = append(d.files, &dataFile{name: file, path: filepath.Join(d.Path, file), entry: entries[key]})
		}
	}
	return nil
}

// readSettings reads the trainer's configuration in the folder, if it has one.
func (d *Dataset) readSettings() error {
	name := string(d.Trainer) + ".yaml"
	raw, err := files.ReadText(filepath.Join(d.Path, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = yaml.Unmarshal(raw, &d.settings)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Rows checks the rows in order. It ends at the first error of yield.
func (d *Dataset) Rows(yield func(Row) error) (t Total, err error) {
	t.CutoffLen, t.Template, t.Vocabulary = d.CutoffLen, d.counter.Template(), d.counter.Vocabulary()
	for _, f := range d.files {
		if f.run != nil {
			t.Trainer = append(t.Trainer, f.run)
		}
		known, n := d.Format, 0
		for line, raw := range f.rows {
			r := Row{Row: t.Rows, File: f.name, Line: line, Trainer: f.run.row(n)}
			d.check(&r, f, raw, known)
			if known == "" && r.Outcome != Wrong {
				known = r.Format
			}
			t.Rows++
			switch r.Outcome {
			case OK:
				t.OK++
			case TooLong:
				t.TooLong++
			case Wrong:
				t.Wrong++
			case NotChecked:
				t.NotChecked++
			}
			if r.Size != nil {
				t.Tokens += r.Tokens
				t.Trained += r.Trained
				t.Longest = max(t.Longest, r.Tokens)
			}
			n++
			if err := yield(r); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// check checks one row. A file that cannot be read fails its row.
func (d *Dataset) check(r *Row, f *dataFile, raw rawRow, known format.Format) {
	if raw.err != nil {
		r.Outcome, r.Reason = raw.outcome, raw.err.Error()
		return
	}
	c, err := f.read(r, raw.data, known)
	if err == nil && d.Trainer == OpenAI {
		err = c.CheckArguments()
	}
	if err != nil {
		r.Outcome, r.Reason = Wrong, err.Error()
		return
	}
	if word := d.special.inTexts(c); word != "" {
		r.Outcome, r.Reason = Wrong, word+" in a text: the trainer reads it as a special token"
		return
	}
	size, err := d.counter.Measure(c)
	switch {
	case err != nil:
		r.Outcome, r.Reason = NotChecked, err.Error()
		return
	case d.CutoffLen > 0 && size.Tokens > d.CutoffLen:
		r.Outcome, r.Reason = TooLong, "the row is longer than the limit: the trainer cuts or drops it"
	default:
		r.Outcome = OK
	}
	r.Size = &size
}

// read reads a row with the sizes of its images.
func (f *dataFile) read(r *Row, raw []byte, known format.Format) (c format.Conversation, err error) {
	if r.Format, c, err = format.Read(raw, known); err != nil {
		return c, err
	}
	for _, m := range c.Messages {
		for i, p := range m.Parts {
			if p.Image == "" || strings.Contains(p.Image, ":") { // an address or data
				continue
			}
			if m.Parts[i].Width, m.Parts[i].Height, err = f.imageSize(p.Image); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// imageSize returns the size of an image, 0 for one of another format than PNG and JPEG. Its path is relative to the folder
// above the file, as in an export, or to the folder of the file.
func (f *dataFile) imageSize(path string) (width, height int, err error) {
	places := []string{path}
	if dir := filepath.Dir(f.path); !filepath.IsAbs(path) {
		places = []string{filepath.Join(dir, "..", path), filepath.Join(dir, path)}
	}
	for _, place := range places {
		var file *os.File
		if file, err = os.Open(place); err == nil {
			c, _, _ := image.DecodeConfig(file) // the largest size is assumed for others
			return c.Width, c.Height, file.Close()
		}
	}
	return 0, 0, err
}

// rawRow is a row before it is read, or why there is none.
type rawRow struct {
	data    []byte
	outcome Outcome
	err     error
}

// rows yields the rows of a file with their places, from 1.
func (f *dataFile) rows(yield func(int, rawRow) bool) {
	file, err := os.Open(f.path)
	if err != nil {
		yield(1, rawRow{outcome: Wrong, err: err})
		return
	}
	defer func() { _ = file.Close() }()
	switch filepath.Ext(f.path) {
	case ".jsonl":
		jsonLines(bufio.NewReaderSize(files.TextReader(file), 1<<20), yield)
	case ".json":
		jsonValues(files.TextReader(file), yield)
	default:
		yield(1, rawRow{outcome: NotChecked, err: errors.New("not checked: only .json and .jsonl files are read here")})
	}
}

// jsonLines yields the lines of a file that are not blank.
func jsonLines(in *bufio.Reader, yield func(int, rawRow) bool) {
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 && !yield(n, rawRow{data: line}) {
			return
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				yield(n, rawRow{outcome: Wrong, err: err})
			}
			return
		}
	}
}

// jsonValues yields the values of a file, of an array its elements. An error ends it.
func jsonValues(in io.Reader, yield func(int, rawRow) bool) {
	all, err := io.ReadAll(in) // an array is one value in any case
	if err != nil {
		yield(1, rawRow{outcome: Wrong, err: err})
		return
	}
	if bytes.Contains(all, []byte("ATIF-v")) { // other rows with such a number do not load
		all = format.Finite(all, func(string) {})
	}
	dec := json.NewDecoder(bytes.NewReader(all))
	for n := 1; ; {
		var value json.RawMessage
		err := dec.Decode(&value)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			yield(n, rawRow{outcome: Wrong, err: err})
			return
		}
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil {
			list = []json.RawMessage{value}
		}
		for _, raw := range list {
			if !yield(n, rawRow{data: raw}) {
				return
			}
			n++
		}
	}
}
