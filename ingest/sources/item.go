package sources

import (
	"bufio"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"airqa/internal/files"
	"airqa/internal/lazyregexp"
)

// Item is a paper to fetch.
type Item struct {
	// URL is an http or https URL without a fragment.
	URL string
	// SHA256 is the expected hash of the file in lower-case hex; empty if unknown.
	SHA256 string
	// Name is the desired name of the file, without folder and ".pdf".
	Name string
	// named means that the name was given rather than derived from the URL.
	named bool
	// arxiv is the id of a paper at arXiv, with the version if it was given.
	arxiv string
}

// ReadList reads a list file: one paper per line in the form of [Parse], comments and empty lines. Errors start with the
// file's name and the line number.
func ReadList(name string) (items []Item, err error) {
	const maxLine = 64 << 10 // bytes
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(files.TextReader(file))
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if uncomment(lines.Text()) == "" {
			continue
		}
		item, err := Parse(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		items = append(items, item)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return items, nil
}

// Parse parses one paper: the URL of a PDF, an arXiv id (2005.11401, arXiv:cs/0112017v1, or a page of arxiv.org) or a DOI
// of arXiv or the ACL Anthology (10.18653/v1/2023.acl-long.1, with or without "doi:" or https://doi.org/), optionally
// followed by "sha256:" with the file's hash, and a file name. A "#" at the start or after whitespace begins a comment.
func Parse(text string) (Item, error) {
	fields := strings.Fields(uncomment(text))
	if len(fields) == 0 {
		return Item{}, errors.New("nothing to fetch: want the URL of a PDF or an arXiv id")
	}
	item, err := parseAddress(fields[0])
	if err != nil {
		return Item{}, err
	}
	rest := fields[1:]
	if len(rest) > 0 && len(rest[0]) >= 7 && strings.EqualFold(rest[0][:7], "sha256:") {
		item.SHA256 = strings.ToLower(rest[0][7:])
		if raw, err := hex.DecodeString(item.SHA256); err != nil || len(raw) != 32 {
			return Item{}, fmt.Errorf("sha256:%s is not a SHA-256: want 64 hexadecimal digits", rest[0][7:])
		}
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return item, nil
	}
	name := strings.Join(rest, " ")
	item.Name, item.named = safeName(name), true
	if item.Name == "" {
		return Item{}, fmt.Errorf("%q is not a valid file name", name)
	}
	return item, nil
}

// IsAddress reports whether a text has the form of a URL, an arXiv id or a DOI, whether or not [Parse] finds a paper there.
func IsAddress(text string) bool {
	_, arxiv := arxivID(text)
	return arxiv || strings.Contains(text, "://") || doiForm.MatchString(text)
}

var comment = lazyregexp.New(`(?s)(^\s*|[ \t])#.*`)

func uncomment(line string) string { return strings.TrimSpace(comment.ReplaceAllString(line, "")) }

// parseAddress parses the address of a paper, and derives the name of the file.
func parseAddress(text string) (Item, error) {
	if id, ok := arxivID(text); ok {
		return ofArxiv(id), nil
	}
	if doi := doiForm.FindStringSubmatch(text); doi != nil {
		return ofDOI(doi[1])
	}
	if !strings.Contains(text, "://") {
		return Item{}, fmt.Errorf("%q is neither the URL of a PDF nor an arXiv id, such as 2005.11401", text)
	}
	u, err := url.Parse(text)
	if err != nil {
		return Item{}, fmt.Errorf("address: %w", err)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return Item{}, fmt.Errorf("URL %s: only http and https are supported, not %s", text, u.Scheme)
	case u.Hostname() == "":
		return Item{}, fmt.Errorf("URL %s: no host", text)
	case u.User != nil:
		return Item{}, fmt.Errorf("URL %s: passwords are not supported; download the file yourself and pass its path", u.Redacted())
	}
	u.Fragment, u.RawFragment = "", ""
	if page := arxivPage.FindStringSubmatch(u.Path); page != nil && isArxiv(strings.ToLower(u.Hostname())) {
		if id, ok := arxivID(page[1]); ok {
			return ofArxiv(id), nil
		}
	}
	return Item{URL: u.String(), Name: nameOf(u)}, nil
}

func ofArxiv(id string) Item {
	return Item{URL: arxivPDF + id, Name: safeName(id), arxiv: id}
}

var doiForm = lazyregexp.New(`^(?i:doi:|https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)$`)

// ofDOI returns the paper of a DOI whose registrant publishes open PDFs under addresses that follow from the DOI.
func ofDOI(doi string) (Item, error) {
	const arxiv, acl = "10.48550/arxiv.", "10.18653/v1/"
	if id, ok := strings.CutPrefix(strings.ToLower(doi), arxiv); ok {
		if id, ok := arxivID(id); ok {
			return ofArxiv(id), nil
		}
	}
	if id, ok := strings.CutPrefix(doi, acl); ok && safeName(id) == id {
		return Item{URL: "https://aclanthology.org/" + id + ".pdf", Name: id}, nil
	}
	return Item{}, fmt.Errorf("DOI %s: airqa finds PDFs by the DOIs of arXiv and the ACL Anthology only; download the PDF and pass the file, or pass its URL", doi)
}

// arxivPage is the path of an abstract or a PDF at arxiv.org.
var arxivPage = lazyregexp.New(`^/(?:abs|pdf|html)/(.*?)(?:\.pdf)?/?$`)

var arxivForm = lazyregexp.New(`^(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v[1-9]\d*)?$`)

// arxivID parses an arXiv id of the current or the old form (before 2007), with or without "arXiv:" and a version.
func arxivID(text string) (string, bool) {
	if len(text) > 6 && strings.EqualFold(text[:6], "arxiv:") {
		text = text[6:]
	}
	return text, arxivForm.MatchString(text)
}

func isArxiv(host string) bool {
	return host == "arxiv.org" || host == "www.arxiv.org" || host == "export.arxiv.org"
}

// nameOf derives a file name from a URL: the last path element, with the query if the path is not specific.
func nameOf(u *url.URL) string {
	base := path.Base(u.Path)
	if base == "/" || base == "." {
		base = u.Hostname()
	}
	if u.RawQuery != "" && !strings.EqualFold(path.Ext(base), ".pdf") {
		base += "_" + u.RawQuery
	}
	return cmp.Or(safeName(base), "paper")
}

// safeName converts untrusted text to a plain file name: no folders, no hidden files, no special characters of shells
// and file systems. The result is empty if nothing is left.
func safeName(text string) string {
	const maxBytes = 100 // leaves room for suffixes within file system limits
	if strings.EqualFold(path.Ext(text), ".pdf") {
		text = text[:len(text)-len(".pdf")]
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "_") {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(".-_", r) {
			r = '_'
		}
		if b.Len()+utf8.RuneLen(r) > maxBytes {
			break
		}
		b.WriteRune(r)
	}
	return strings.Trim(b.String(), "._-")
}
