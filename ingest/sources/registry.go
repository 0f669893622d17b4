package sources

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"airqa/internal/files"
	"airqa/internal/ledger"
)

const registryName = "fetched.jsonl"

const registryFormat = 1

// record is a line of the registry: a completed download.
type record struct {
	Format int       `json:"format"`
	URL    string    `json:"url"`
	File   string    `json:"file"`
	SHA256 string    `json:"sha256"`
	Bytes  int64     `json:"bytes"`
	At     time.Time `json:"at"`
}

// registry lists the completed downloads of a folder. It keeps the folder's fetched.jsonl open and locked. Calls may
// overlap.
type registry struct {
	dir   string
	byURL *ledger.Ledger[string, record]

	mu     sync.Mutex
	byFile map[string]string // URL by file name in lower case
}

// openRegistry reads the registry of a folder, creating the folder if it is missing. It truncates an unfinished last line.
func openRegistry(dir string) (*registry, error) {
	g := &registry{dir: dir, byFile: map[string]string{}}
	path := filepath.Join(dir, registryName)
	byURL, err := ledger.Open(path, ledger.Config[string, record]{Entry: g.read, Exclusive: true})
	if errors.Is(err, ledger.ErrInUse) {
		return nil, fmt.Errorf("open downloads %s: another airqa is downloading into it; wait until it is done", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	g.byURL = byURL
	return g, nil
}

func (g *registry) read(line []byte, _ ledger.Span) (string, record, error) {
	var r record
	if err := ledger.Strict(line, &r); err != nil {
		return "", r, fmt.Errorf("%w; remove the line", err)
	}
	if err := ledger.CheckFormat(r.Format, registryFormat, "move it away, and airqa papers fetch makes it again"); err != nil {
		return "", r, err
	}
	g.byFile[strings.ToLower(r.File)] = r.URL
	return r.URL, r, nil
}

func (g *registry) add(r record) error {
	r.Format = registryFormat
	line, err := json.Marshal(r)
	if err == nil {
		err = g.byURL.Add(line)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", registryName, err)
	}
	return nil
}

// find returns the record of an item, unless the item must have other content.
func (g *registry) find(item Item) (record, bool) {
	r, ok := g.byURL.Get(item.URL)
	return r, ok && (item.SHA256 == "" || item.SHA256 == r.SHA256)
}

// have returns the path of an item that was fetched earlier and whose file is unchanged.
func (g *registry) have(item Item) (string, bool) {
	r, ok := g.find(item)
	if !ok {
		return "", false
	}
	g.mu.Lock()
	renamed := item.named && r.File != g.freeName(item)
	g.mu.Unlock()
	if renamed {
		return "", false
	}
	path := filepath.Join(g.dir, filepath.Base(r.File))
	sum, err := files.HashFile(path)
	return path, err == nil && sum == r.SHA256
}

// completed reports whether a part is a whole file that was recorded and not moved to its final path.
func (g *registry) completed(item Item, p *part) bool {
	r, ok := g.find(item)
	if !ok || r.Bytes != p.size || r.File+".part" != filepath.Base(p.path) {
		return false
	}
	sum, err := p.sum()
	return err == nil && sum == r.SHA256
}

// reserveName returns the file name for an item and reserves it.
func (g *registry) reserveName(item Item) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r, ok := g.byURL.Get(item.URL); ok && !item.named {
		return filepath.Base(r.File)
	}
	name := g.freeName(item)
	g.byFile[strings.ToLower(name)] = item.URL
	return name
}

// freeName returns the item's own name, or adds a hash of its URL if another paper has the name.
func (g *registry) freeName(item Item) string {
	name := item.Name + ".pdf"
	owner, taken := g.byFile[strings.ToLower(name)]
	if taken && owner == item.URL {
		return name
	}
	if _, err := os.Lstat(filepath.Join(g.dir, name)); !taken && errors.Is(err, fs.ErrNotExist) {
		return name
	}
	return item.Name + "-" + files.Hash(item.URL)[:8] + ".pdf"
}
