package viewer

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"airqa/internal/terminal"
	"airqa/internal/web"
	"airqa/report"
	"airqa/trace"
)

//go:embed templates
var templateFiles embed.FS

// templates are parsed when the first page is made: a start of the program that makes none should not wait for them.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(web.TemplateFuncs()).
		Funcs(template.FuncMap{"asset": web.AssetPath, "dict": dict}).ParseFS(templateFiles, "templates/*.html"))
})

// ErrNotFound is returned for a run or an episode that is not there.
var ErrNotFound = errors.New("not found")

// Site makes pages: each of its methods writes one, from the runs of a library and the parameters of an address. All texts of
// questions, models and papers are escaped by html/template, and their control characters and characters that reorder text
// are shown as escapes. Its methods may be called by several goroutines at once while the library does not change.
type Site struct {
	Library *trace.Library
	SiteConfig
	names map[*trace.Run]string
}

// SiteConfig is what pages need from the server.
type SiteConfig struct {
	// Version is the version of the runs that a page shows: a page reads itself again when [web.Feed] announces another.
	Version int
	PageConfig
	// Numbers returns the numbers of a run; ok is false while they are computed.
	Numbers func(*trace.Run) (row report.Row, ok bool, err error)
}

// NewSite returns the site of a library.
func NewSite(l *trace.Library, c SiteConfig) *Site {
	return &Site{Library: l, SiteConfig: c, names: Names(l)}
}

// Run returns the run with a name in addresses.
func (s *Site) Run(name string) (*trace.Run, error) {
	for _, r := range s.Library.Runs {
		if s.names[r] == name {
			return r, nil
		}
	}
	return nil, fmt.Errorf("no run %q: %w", name, ErrNotFound)
}

func (s *Site) run(w trace.Row) string {
	if r := s.Library.Run(w.Run); r != nil {
		return s.names[r]
	}
	return w.Run
}

// frame is what every page has around its content.
type frame struct {
	Title string
	// Section is the entry of the navigation that is marked; Content is the name of its template.
	Section, Content string
	Command          string
	Version          int
	CSRF             string
	// Many reports whether there are several runs or repeats to compare.
	Many bool
	// Place is where the keys of the page work; Keys are those, and Help is what "?" shows.
	Place place
	Keys  map[string]string
	Help  []helpSection
	Body  any
}

// write renders a page whole before the first byte is sent, so that an error leaves no half page.
func (s *Site) write(w io.Writer, f frame) error {
	f.Version, f.CSRF, f.Many = s.Version, s.CSRF, len(s.Library.Runs) > 1
	for _, r := range s.Library.Runs {
		f.Many = f.Many || slices.ContainsFunc(r.Rows, func(w trace.Row) bool { return w.Repeat > 0 })
	}
	f.Place = cmp.Or(f.Place, listPage)
	f.Keys, f.Help = keyActions(f.Place), keyHelp(f.Place)
	var out bytes.Buffer
	if err := templates().ExecuteTemplate(&out, "frame", f); err != nil {
		return fmt.Errorf("make the page %q: %w", f.Title, err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// Problem writes a page about an error.
func (s *Site) Problem(w io.Writer, title string, err error) error {
	return s.write(w, frame{Title: title, Content: "problem", Body: err.Error()})
}

func address(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// command is a command line that can be pasted into a shell.
func command(args ...string) string {
	for i, a := range args {
		args[i] = terminal.ShellWord(a)
	}
	return terminal.Safe("airqa " + strings.Join(args, " "))
}

func (s *Site) paths(runs []*trace.Run) []string {
	var list []string
	for _, r := range runs {
		list = append(list, r.Name)
	}
	return list
}

// selection is what an address selects: a filter, and runs.
type selection struct {
	trace.Filter
	runs []*trace.Run
	// named are the runs that the address names; nil if it names none.
	named []string
}

func (s *Site) selection(q url.Values) (sel selection, err error) {
	if sel.Filter, err = trace.FilterOf(q); err != nil {
		return sel, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	for _, name := range q["run"] {
		if name == "" {
			continue
		}
		r, err := s.Run(name)
		if err != nil {
			return sel, err
		}
		sel.runs, sel.named = append(sel.runs, r), append(sel.named, name)
	}
	if sel.named == nil {
		sel.runs = s.Library.Runs
	}
	return sel, nil
}

func (sel selection) query() url.Values {
	q := sel.Query()
	for _, name := range sel.named {
		q.Add("run", name)
	}
	return q
}

// with returns the address of the overview with one parameter set to a value, or without it.
func (sel selection) with(name, value string) string {
	q := sel.query()
	q.Del(name)
	if value != "" {
		q.Set(name, value)
	}
	return address("/", q)
}

func (sel selection) all() []trace.Row {
	if len(sel.runs) == 1 {
		return sel.runs[0].Rows
	}
	var rows []trace.Row
	for _, r := range sel.runs {
		rows = append(rows, r.Rows...)
	}
	return rows
}

// rows are those of them that the filter selects, in its order.
func (s *Site) rows(ctx context.Context, sel selection) ([]trace.Row, error) {
	f := sel.Filter
	f.Limit = 0
	list, _, err := s.Library.Select(ctx, f)
	if err != nil || sel.named == nil {
		return list, err
	}
	chosen := make(map[string]bool)
	for _, r := range sel.runs {
		chosen[r.Name] = true
	}
	var rows []trace.Row
	for _, w := range list {
		if chosen[w.Run] {
			rows = append(rows, w)
		}
	}
	return rows, nil
}

// dict makes the data of a part of a template from names and values.
func dict(pairs ...any) map[string]any {
	m := make(map[string]any)
	for i := 0; i+1 < len(pairs); i += 2 {
		m[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return m
}

// Names are the names of the runs in addresses: the folder of each, or its whole path if several runs have that folder.
func Names(l *trace.Library) map[*trace.Run]string {
	names := make(map[*trace.Run]string)
	count := make(map[string]int)
	base := func(r *trace.Run) string {
		path, err := filepath.Abs(r.Name)
		if err != nil {
			return r.Name
		}
		return filepath.Base(path)
	}
	for _, r := range l.Runs {
		count[base(r)]++
	}
	for _, r := range l.Runs {
		name := base(r)
		if count[name] > 1 || strings.Trim(name, "./") == "" {
			name = r.Name
		}
		names[r] = name
	}
	return names
}
