package sources

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"airqa/qa"
	"airqa/qa/dataset"
)

// Role is why a paper is needed.
type Role string

// The roles. A paper has the first that applies.
const (
	Anchor    Role = "anchor"    // named by a question
	Reference Role = "reference" // named as a supporting paper only
	Venue     Role = "venue"     // of a venue that a question searches
)

// State is what became of a paper.
type State string

// The states.
const (
	Present   State = "present"    // in the data directory before
	Fetched   State = "fetched"    // downloaded and ingested
	Waiting   State = "to fetch"   // not fetched yet: a dry run, a limit or an interruption
	NoAddress State = "no address" // no metadata, or none with a usable address
	Failed    State = "failed"
)

// Paper is a paper that questions need.
type Paper struct {
	ID    string
	Role  Role
	State State
	// Reason explains the states NoAddress and Failed.
	Reason string
	// Entry is its metadata; the zero value if there is none.
	Entry
	// Item is its download, unless the state is NoAddress.
	Item Item
}

// SearchedVenue is a venue that questions search.
type SearchedVenue struct {
	Venue string `json:"venue"`
	// Questions is their number, Papers that of the papers known from metadata, and Present that of the papers in the data
	// directory.
	Questions int `json:"questions"`
	Papers    int `json:"papers"`
	Present   int `json:"present"`
}

// Plan lists the papers that questions need: anchors and references in the order of the questions, then the papers of
// venues by id.
type Plan struct {
	Papers []Paper
	Venues []SearchedVenue
}

// PlanConfig configures [MakePlan].
type PlanConfig struct {
	Questions []qa.Example
	Metadata  *Catalog
	// Held lists the papers of the data directory by venue.
	Held map[string][]string
	// Named leaves out the papers of venues.
	Named bool
}

// The reasons of papers without an address.
const (
	NoMetadata = "no metadata"
	NoURL      = "metadata without pdf_url"
)

// MakePlan returns the papers that questions need.
func MakePlan(c PlanConfig) Plan {
	m := maker{PlanConfig: c, held: map[string]bool{}, seen: map[string]bool{}, urls: map[string]string{}}
	for _, ids := range c.Held {
		for _, id := range ids {
			m.held[strings.ToLower(id)] = true
		}
	}
	need := dataset.FindMissing(c.Questions, dataset.Held{}) // of an empty data directory, everything is missing
	anchors := map[string]bool{}
	for _, ex := range c.Questions {
		for _, id := range ex.AnchorPDF {
			anchors[strings.ToLower(id)] = true
		}
	}
	for _, id := range need.Papers {
		role := Reference
		if anchors[strings.ToLower(id)] {
			role = Anchor
		}
		m.add(id, role)
	}
	for _, name := range need.Collections {
		m.venue(qa.VenueYear(name, 0))
	}
	return m.plan
}

type maker struct {
	PlanConfig
	plan Plan
	held map[string]bool
	seen map[string]bool
	urls map[string]string // paper by URL
}

// venue adds a venue with its papers.
func (m *maker) venue(name string) {
	if slices.ContainsFunc(m.plan.Venues, func(v SearchedVenue) bool { return v.Venue == name }) {
		return
	}
	entries := m.Metadata.Venue(name)
	v := SearchedVenue{Venue: name, Papers: len(entries), Present: len(m.Held[name])}
	for _, ex := range m.Questions {
		if slices.ContainsFunc(ex.Conference, func(c string) bool { return qa.VenueYear(c, 0) == name }) {
			v.Questions++
		}
	}
	m.plan.Venues = append(m.plan.Venues, v)
	if m.Named {
		return
	}
	for _, e := range entries {
		m.add(e.ID, Venue)
	}
}

func (m *maker) add(id string, role Role) {
	id = strings.ToLower(id)
	if m.seen[id] {
		return
	}
	m.seen[id] = true
	entry, known := m.Metadata.ByID(id)
	p := Paper{ID: id, Role: role, State: Waiting, Entry: entry}
	switch {
	case m.held[id]:
		p.State = Present
	case !known:
		p.State, p.Reason = NoAddress, NoMetadata
	case entry.URL == "":
		p.State, p.Reason = NoAddress, NoURL
	default:
		item, err := Named(p.URL, p.ID)
		switch other := m.urls[item.URL]; {
		case err != nil:
			p.State, p.Reason = NoAddress, err.Error()
		case other != "":
			p.State, p.Reason = NoAddress, "same pdf_url as paper "+other
		default:
			m.urls[item.URL], p.Item = p.ID, item
		}
	}
	m.plan.Papers = append(m.plan.Papers, p)
}

// Count is the number of papers of one state and reason, by role.
type Count struct {
	State    State
	Reason   string
	ByRole   map[Role]int
	Total    int
	position int
}

// Tally counts papers by state.
func (p Plan) Tally() []Count {
	return p.count(func(Paper) string { return "" })
}

// Reasons counts papers without an address and failed ones by reason, the most frequent first.
func (p Plan) Reasons() []Count {
	all := p.count(func(x Paper) string { return x.Reason })
	return slices.DeleteFunc(all, func(c Count) bool { return c.Reason == "" })
}

func (p Plan) count(reason func(Paper) string) []Count {
	states := []State{Present, Fetched, Waiting, NoAddress, Failed} // in the order of tables
	type key struct {
		State
		reason string
	}
	at := map[key]int{}
	var counts []Count
	for _, x := range p.Papers {
		k := key{x.State, reason(x)}
		if _, have := at[k]; !have {
			at[k] = len(counts)
			counts = append(counts, Count{State: k.State, Reason: k.reason, ByRole: map[Role]int{}, position: slices.Index(states, k.State)})
		}
		counts[at[k]].Total++
		counts[at[k]].ByRole[x.Role]++
	}
	slices.SortStableFunc(counts, func(a, b Count) int {
		return cmp.Or(a.position-b.position, b.Total-a.Total, strings.Compare(a.Reason, b.Reason))
	})
	return counts
}

// Missing returns the papers that are not in the data directory.
func (p Plan) Missing() []Paper {
	return slices.DeleteFunc(slices.Clone(p.Papers), func(x Paper) bool { return x.State == Present || x.State == Fetched })
}

// Least returns the minimum time to fetch the waiting papers with a delay between two requests to one host.
func (p Plan) Least(delay time.Duration) time.Duration {
	perHost, most := map[string]int{}, 0
	for _, x := range p.Papers {
		if u, err := url.Parse(x.Item.URL); x.State == Waiting && err == nil {
			perHost[u.Host]++
			most = max(most, perHost[u.Host])
		}
	}
	return (time.Duration(most) * max(delay, 0)).Round(time.Second)
}
