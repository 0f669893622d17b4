package sources

import (
	"archive/zip"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"airqa/internal/files"
	"airqa/qa"
)

// maxRecord is the maximum size of a metadata file, and maxRecords the maximum number of files.
const (
	maxRecord  = 16 << 20
	maxRecords = 1 << 20
)

// Entry is the metadata of one paper, as far as a download needs it. [Entry.Read] returns all of it.
type Entry struct {
	// ID is the paper's UUID in lower case.
	ID    string `json:"-"`
	Title string `json:"title"`
	// Venue is conference and year as in [qa.VenueYear].
	Venue string `json:"venue"`
	// URL is the address of the PDF as given: unchecked, and empty if there is none.
	URL string `json:"url"`

	from fs.FS
	name string
	raw  []byte // instead of from and name
}

// Catalog is an index of metadata files. It is safe for concurrent use until Close.
type Catalog struct {
	// Faults describes the files that are not metadata of a paper, one line each.
	Faults []string

	byID     map[string]Entry
	byVenue  map[string][]Entry
	archives files.Closers
}

// OpenCatalog reads the metadata files of folders, at any depth, and of zip archives. Of several files for one paper, the first
// counts. A file that is not metadata of a paper is a fault and does not stop the others. The caller must close it.
func OpenCatalog(paths []string) (*Catalog, error) {
	c := &Catalog{byID: map[string]Entry{}, byVenue: map[string][]Entry{}}
	for _, p := range paths {
		if err := c.add(p); err != nil {
			return nil, errors.Join(fmt.Errorf("read metadata %s: %w", p, err), c.Close())
		}
	}
	for _, list := range c.byVenue {
		slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.ID, b.ID) })
	}
	return c, nil
}

// Close closes the archives.
func (c *Catalog) Close() error { return c.archives.Close() }

// ByID returns the entry of a paper, ignoring case.
func (c *Catalog) ByID(id string) (Entry, bool) {
	e, ok := c.byID[strings.ToLower(id)]
	return e, ok
}

// Venue returns the entries of a venue such as "acl2023", ordered by id.
func (c *Catalog) Venue(name string) []Entry { return c.byVenue[name] }

// add reads the metadata files of a folder or a zip archive.
func (c *Catalog) add(root string) error {
	info, err := os.Stat(root)
	if err != nil {
		return err
	}
	from := os.DirFS(root)
	if !info.IsDir() {
		archive, err := zip.OpenReader(root)
		if err != nil {
			return fmt.Errorf("%w; name a folder of JSON files, or a zip archive of them", err)
		}
		c.archives.Add(archive)
		from = archive
	}
	return fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() || !strings.EqualFold(path.Ext(name), ".json") || strings.HasPrefix(path.Base(name), "."):
			return nil
		case len(c.byID)+len(c.Faults) >= maxRecords:
			return fmt.Errorf("more than %d files", maxRecords)
		}
		e, err := readEntry(from, name)
		if err != nil {
			c.Faults = append(c.Faults, name+": "+err.Error())
			return nil
		}
		if _, twice := c.byID[e.ID]; !twice {
			c.byID[e.ID] = e
			c.byVenue[e.Venue] = append(c.byVenue[e.Venue], e)
		}
		return nil
	})
}

func readEntry(from fs.FS, name string) (Entry, error) {
	e := Entry{from: from, name: name}
	raw, err := e.read()
	if err != nil {
		return e, err
	}
	var m struct {
		UUID       string `json:"uuid"`
		Title      string `json:"title"`
		Conference string `json:"conference"`
		Year       int    `json:"year"`
		URL        string `json:"pdf_url"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		var kind *json.UnmarshalTypeError
		switch {
		case errors.As(err, &kind) && kind.Field != "":
			err = fmt.Errorf("%q is a %s", kind.Field, kind.Value)
		case kind != nil:
			err = fmt.Errorf("a JSON %s, not an object", kind.Value)
		}
		return e, err
	}
	m.UUID = cmp.Or(m.UUID, strings.TrimSuffix(path.Base(name), path.Ext(name)))
	if !qa.IsUUID(m.UUID) {
		return e, fmt.Errorf("%q is not a uuid", m.UUID)
	}
	e.ID, e.Title, e.URL = strings.ToLower(m.UUID), strings.TrimSpace(m.Title), strings.TrimSpace(m.URL)
	e.Venue = qa.VenueYear(m.Conference, m.Year)
	return e, nil
}

// Read returns the metadata as JSON with the paper's id in "uuid".
func (e Entry) Read() ([]byte, error) {
	fields := map[string]json.RawMessage{}
	raw, err := e.read()
	if err == nil {
		err = json.Unmarshal(raw, &fields)
	}
	if err != nil {
		return nil, fmt.Errorf("read metadata of paper %s: %w", e.ID, err)
	}
	var id string
	if json.Unmarshal(fields["uuid"], &id) == nil && id != "" {
		return raw, nil
	}
	fields["uuid"] = json.RawMessage(`"` + e.ID + `"`)
	return json.Marshal(fields)
}

func (e Entry) read() ([]byte, error) {
	if e.raw != nil {
		return e.raw, nil
	}
	f, err := e.from.Open(e.name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errors.New("not a regular file"))
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	if err == nil && len(raw) > maxRecord {
		err = fmt.Errorf("larger than %d MB", maxRecord>>20)
	}
	return raw, err
}
