package redact

import (
	"net/netip"
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
)

var (
	homePath = lazyregexp.New(`(?:/(?:export|mnt|var|data|nfs|lustre|scratch))?/(?:home|Users)/[A-Za-z0-9._-]+|\b[A-Za-z]:(?:\\+|/)Users(?:\\+|/)[A-Za-z0-9._-]+|/root\b`)
	address  = lazyregexp.New(`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`)
	// authority is the host and port of a URL.
	authority = lazyregexp.New(`[a-z][a-z0-9+.-]*://(?:[^/\s@"']*@)?(\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+)(:[0-9]+)?`)
)

// homePaths finds home directories.
func homePaths(text string) []span {
	if !strings.Contains(text, "/home/") && !strings.Contains(text, "Users") && !strings.Contains(text, "/root") {
		return nil
	}
	var list []span
	for _, m := range homePath.FindAllStringIndex(text, -1) {
		if inPath := m[0] > 0 && (alphanumeric(text[m[0]-1]) || strings.IndexByte("._-~", text[m[0]-1]) >= 0); !inPath {
			list = append(list, span{afterEscape(text, m[0]), m[1], HomePath})
		}
	}
	return list
}

// emails finds e-mail addresses.
func emails(text string) []span {
	if !strings.Contains(text, "@") {
		return nil
	}
	var list []span
	for _, m := range address.FindAllStringIndex(text, -1) {
		list = append(list, span{min(afterEscape(text, m[0]), m[1]), m[1], Email})
	}
	return list
}

// publicHosts are sites that papers and models cite; their subdomains count, too.
var publicHosts = []string{
	"aclanthology.org", "aclweb.org", "acm.org", "allenai.org", "anthropic.com", "apache.org", "arxiv.org",
	"bitbucket.org", "cloudflare.com", "cohere.ai", "creativecommons.org", "doi.org", "example.com", "example.org",
	"github.com", "github.io", "githubusercontent.com", "gitlab.com", "google.com", "googleapis.com", "huggingface.co",
	"ieee.org", "iclr.cc", "icml.cc", "kaggle.com", "localhost", "medium.com", "microsoft.com", "mistral.ai",
	"mlr.press", "nature.com", "neurips.cc", "nips.cc", "nih.gov", "openai.com", "openreview.net", "orcid.org",
	"paperswithcode.com", "pypi.org", "python.org", "pytorch.org", "readthedocs.io", "reddit.com", "sciencedirect.com",
	"semanticscholar.org", "springer.com", "stackoverflow.com", "stanford.edu", "tensorflow.org", "thecvf.com",
	"twitter.com", "usenix.org", "w3.org", "wikidata.org", "wikimedia.org", "wikipedia.org", "x.com", "youtube.com",
	"zenodo.org",
}

// publicLabels begin the names of public sites.
var publicLabels = []string{"www", "docs", "blog", "wiki", "en", "papers", "proceedings"}

// hosts finds the names and addresses of machines: the hosts of URLs that are no public site, private addresses, and
// names that only a private network has.
func hosts(text string) []span {
	var list []span
	if strings.Contains(text, "://") {
		for _, m := range authority.FindAllStringSubmatchIndex(text, -1) {
			if end := max(m[3], m[5]); !public(text[m[2]:m[3]]) {
				list = append(list, span{m[2], end, Host})
			}
		}
	}
	for at := 0; at < len(text); {
		dot := strings.IndexByte(text[at:], '.')
		if dot < 0 {
			break
		}
		p := around(text, at+dot, at)
		at = p.end + 1
		port := portAt(text[p.end:])
		name := strings.TrimRight(text[p.start:p.end], ".-")
		inPath := p.start > 0 && strings.IndexByte("@_/", text[p.start-1]) >= 0
		if !inPath && private(name, port > 0) {
			list = append(list, span{p.start, p.start + len(name) + port, Host})
		}
	}
	return list
}

// around returns the word around a dot, from position from on.
func around(text string, dot, from int) span {
	start, end := dot, dot
	for start > from && hostByte(text[start-1]) {
		start--
	}
	for end < len(text) && hostByte(text[end]) {
		end++
	}
	return span{min(afterEscape(text, start), dot), end, Host}
}

func hostByte(b byte) bool { return alphanumeric(b) || b == '-' || b == '.' }

// portAt returns the length of a port, such as ":8000", at the beginning of a text; 0 if there is none.
func portAt(text string) int {
	n := 1
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	if text == "" || text[0] != ':' || n < 3 || n > 6 {
		return 0
	}
	return n
}

func public(host string) bool {
	host = strings.ToLower(strings.TrimRight(host, "."))
	if address, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return address.IsLoopback() || address.IsUnspecified()
	}
	if first, rest, _ := strings.Cut(host, "."); slices.Contains(publicLabels, first) && strings.Contains(rest, ".") {
		return true
	}
	return slices.ContainsFunc(publicHosts, func(site string) bool { return host == site || strings.HasSuffix(host, "."+site) })
}

var (
	privateEndings = []string{"local", "internal", "lan", "corp", "intranet", "localdomain", "home"}
	// open are the top-level domains of names that may be machines. Others are file names and code.
	open    = lazyregexp.New(`\.(?:com|net|org|edu|io|dev|cloud|gov)$`)
	cloud   = lazyregexp.New(`\.(?:amazonaws\.com|azure\.com|windows\.net|azurewebsites\.net|cloudapp\.net|run\.app|ngrok\.io|ngrok\.app|ngrok-free\.app|ts\.net|snowflakecomputing\.com|mongodb\.net|supabase\.co|databricks\.com)$`)
	machine = lazyregexp.New(`(?i)^(?:[a-z]+-?\d+[a-z0-9-]*|(?:[a-z0-9]+-)+[a-z0-9]*\d[a-z0-9-]*|(?:gpu|node|login|head|worker|db|vpn|jump|bastion|gateway|cluster|slurm|hpc|srv|server|prod|staging|internal|intranet|vault|git|ldap|mail|smtp)[a-z0-9-]*)$`)
)

// private reports whether a name with dots, outside of a URL, is one of a machine that is not public.
func private(name string, port bool) bool {
	if len(name) < 7 {
		return false
	}
	if address, err := netip.ParseAddr(name); err == nil {
		return privateAddress(address, port)
	}
	name = strings.ToLower(name)
	labels := strings.Split(name, ".")
	if slices.Contains(privateEndings, labels[len(labels)-1]) {
		return port || len(labels) > 2 || strings.ContainsAny(labels[0], "0123456789-")
	}
	return cloud.MatchString(name) || open.MatchString(name) && !public(name) && (port || len(labels) > 2 && machine.MatchString(labels[0]))
}

// privateAddress reports whether an address is private, or no section number or version: 203.0.113.7 or 3.2.1.4:80, but
// not 3.2.1.4.
func privateAddress(address netip.Addr, port bool) bool {
	large := slices.ContainsFunc(address.AsSlice(), func(b byte) bool { return b >= 100 })
	return !address.IsLoopback() && (port || large || address.IsPrivate() || address.IsLinkLocalUnicast())
}
