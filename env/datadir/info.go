package datadir

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/qa"
)

// again makes a data directory of another format again.
const again = "make the data directory again with airqa ingest --data NEW PAPERS"

// Info is the content of airqa.json.
type Info struct {
	// Format is the layout version, see [Format]. WriteInfo and Commit set it.
	Format int `json:"format"`
	// ID is a random UUID that identifies the directory, for instance on a vector server. Copies share it.
	ID string `json:"id"`
	// Fingerprint is the [Fingerprint] of the papers at the end of the last ingest; empty before the first.
	Fingerprint string `json:"fingerprint,omitempty"`
	// Papers is the number of papers at the end of the last ingest.
	Papers int `json:"papers"`
	// Chunks is how papers are split; nil before the first ingest.
	Chunks *Chunking `json:"chunks,omitempty"`
	// Shard is the part of a corpus that the directory is for, such as "3/16"; empty if it may have all papers.
	Shard string `json:"shard,omitempty"`
	// Generation is the number of the current generation; 0 before the first ingest.
	Generation int `json:"generation,omitempty"`
	// AsInPaper describes the last ingest that was to be as in the paper.
	AsInPaper *qa.AsInPaper `json:"as_in_paper,omitempty"`
	// Index is how the search index was made; nil before the first ingest.
	Index *Index `json:"index,omitempty"`
}

// OneVector is the recorded value of --vectors-per-chunk that is not the default.
const OneVector = "one"

// Index describes a search index. It contains no key and no password.
type Index struct {
	// Embedder is minilm or openai:NAME.
	Embedder string `json:"embedder"`
	// Weights is the folder with the weights of minilm; empty for the built-in ones.
	Weights string `json:"weights,omitempty"`
	// Window is the number of tokens of a passage that one vector of openai:NAME stands for.
	Window int `json:"window,omitempty"`
	// VectorsPerChunk is [OneVector] if minilm has one vector per passage; empty for one per window.
	VectorsPerChunk string `json:"vectors_per_chunk,omitempty"`
	// Body is a JSON object with members added to the requests for openai:NAME.
	Body string `json:"extra_body,omitempty"`
	// QueryPrefix and TextPrefix begin each query and each passage for openai:NAME.
	QueryPrefix string `json:"query_prefix,omitempty"`
	TextPrefix  string `json:"text_prefix,omitempty"`
	// Vectors is "files", or the URL of a Milvus server.
	Vectors string `json:"vectors"`
}

// Info reads airqa.json. Unknown fields are an error.
func (d *Dir) Info() (Info, error) {
	text, err := os.ReadFile(d.file())
	if errors.Is(err, fs.ErrNotExist) {
		return Info{}, fmt.Errorf("%s: %w; run: airqa ingest --data %s paper.pdf, or set --data or AIRQA_DATA", d.path, ErrNotDataDir, d.path)
	}
	if err != nil {
		return Info{}, fmt.Errorf("open data directory: %w", err)
	}
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return Info{}, fmt.Errorf("read %s: %w; restore the file or ingest into a new folder", d.file(), err)
	}
	if err := ledger.CheckFormat(version.Format, Format, again); err != nil {
		return Info{}, fmt.Errorf("read %s: %w", d.file(), err)
	}
	var info Info
	if err := ledger.Strict(text, &info); err != nil {
		return Info{}, fmt.Errorf("read %s: %w", d.file(), err)
	}
	return info, nil
}

// NotePaper records that papers are added as in the paper, unless p is nil.
func (d *Dir) NotePaper(p *qa.AsInPaper) error {
	if p == nil {
		return nil
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	info.AsInPaper = p
	return d.WriteInfo(info)
}

// WriteInfo replaces airqa.json in one step.
func (d *Dir) WriteInfo(info Info) error {
	text, err := d.encode(info)
	if err != nil {
		return err
	}
	return files.WriteFile(d.file(), text)
}

func (d *Dir) encode(info Info) ([]byte, error) {
	info.Format = Format
	text, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", d.file(), err)
	}
	return append(text, '\n'), nil
}

func (d *Dir) file() string { return filepath.Join(d.path, InfoName) }

// Source identifies the input of one paper.
type Source struct {
	PaperID string
	// SHA256 is the hash of the PDF, MetadataSHA256 the hash of its metadata file; Parser is the program version that
	// read them.
	SHA256, MetadataSHA256, Parser string
}

// appendLine appends what is hashed.
func (s Source) appendLine(line []byte) []byte {
	for _, field := range []string{s.PaperID, s.SHA256, s.MetadataSHA256, s.Parser} {
		if strings.ContainsFunc(field, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
			line = strconv.AppendQuote(line, field)
		} else { // the same, several times as fast
			line = append(append(append(line, '"'), field...), '"')
		}
		line = append(line, ' ')
	}
	line[len(line)-1] = '\n'
	return line
}

// Version returns a hash of the source, in lower-case hex. It changes whenever the fingerprint changes because of this
// paper.
func (s Source) Version() string {
	return files.Hash(string(s.appendLine(nil)))[:32]
}

// Fingerprint returns a hash of the sources of a data directory, in lower-case hex. It does not depend on the order of
// the sources or the location of the directory, so copies share it. Runs record it.
func Fingerprint(sources []Source) string {
	sorted := slices.Clone(sources)
	slices.SortFunc(sorted, func(a, b Source) int { return strings.Compare(a.PaperID, b.PaperID) })
	h := sha256.New()
	line := []byte("airqa data 1\n")
	_, _ = h.Write(line) // hash.Hash never returns an error
	for _, s := range sorted {
		line = s.appendLine(line[:0])
		_, _ = h.Write(line)
	}
	return hex.EncodeToString(h.Sum(nil))
}
