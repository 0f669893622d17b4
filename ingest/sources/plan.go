package sources

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"airqa/qa"
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

// states are in the order of tables.
var states = []State{Present, Fetched, Waiting, NoAddress, Failed}

// Paper is a paper that questions need.
type Paper struct {
	ID   string `json:"paper_id"`
	Role Role   `json:"role"`
	// Entry is its metadata; the zero value if there is none.
	Entry
	State State `json:"state"`
	// Reason explains the states NoAddress and Failed.
	Reason string `json:"reason"`
	// Item is its download, unless the state is NoAddress.
	Item Item `json:"-"`
}

// SearchedVenue is a venue that questions search.
type SearchedVenue struct {
	Venue string `json:"venue"`
	// Questions is the number of questions that search it, Papers the number of papers known from metadata, and Present the
	// number of papers in the data directory.
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
	// Categories are further venues of the metadata, see [Fetcher.Select].
	Categories []string
}

// MakePlan returns the papers that questions need.
func MakePlan(c PlanConfig) Plan {
	m := planner{PlanConfig: c, plan: Plan{Venues: []SearchedVenue{}}, present: map[string]bool{}, seen: map[string]int{}, byURL: map[string]string{}}
	for _, ids := range c.Held {
		for _, id := range ids {
			m.present[strings.ToLower(id)] = true
		}
	}
	for _, ex := range c.Questions {
		for _, id := range ex.AnchorPDF {
			m.addPaper(id, Anchor)
		}
		for _, id := range ex.ReferencePDF {
			m.addPaper(id, Reference)
		}
	}
	for _, ex := range c.Questions {
		for _, name := range ex.Conference {
			m.addVenue(qa.VenueYear(name, 0))
		}
	}
	for _, name := range c.Categories {
		m.addVenue(name)
		for _, e := range c.Metadata.Venue(name) {
			if m.present[e.ID] {
				m.plan.Venues[len(m.plan.Venues)-1].Present++
			}
		}
	}
	return m.plan
}

type planner struct {
	PlanConfig
	plan    Plan
	present map[string]bool
	seen    map[string]int    // position in the plan
	byURL   map[string]string // paper by URL
}

func (m *planner) addVenue(name string) {
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
	for _, e := range entries {
		if !m.Named {
			m.addPaper(e.ID, Venue)
		}
	}
}

func (m *planner) addPaper(id string, role Role) {
	id = strings.ToLower(id)
	if at, seen := m.seen[id]; seen {
		if role == Anchor {
			m.plan.Papers[at].Role = Anchor
		}
		return
	}
	m.seen[id] = len(m.plan.Papers)
	entry, known := m.Metadata.ByID(id)
	p := Paper{ID: id, Role: role, State: NoAddress, Entry: entry}
	item, err := parseAddress(entry.URL)
	switch other := m.byURL[item.URL]; {
	case m.present[id]:
		p.State = Present
	case !known:
		p.Reason = "no metadata"
	case entry.URL == "":
		p.Reason = "metadata without pdf_url"
	case err != nil:
		p.Reason = err.Error()
	case other != "":
		p.Reason = "same pdf_url as paper " + other
	default:
		item.Name, item.named = id, true
		p.State, p.Item, m.byURL[item.URL] = Waiting, item, id
	}
	m.plan.Papers = append(m.plan.Papers, p)
}

// Count is the number of papers in one state, by role.
type Count struct {
	State     State `json:"state"`
	Anchor    int   `json:"anchor"`
	Reference int   `json:"reference"`
	Venue     int   `json:"venue"`
	Total     int   `json:"total"`
}

// Counts counts papers by state.
func (p Plan) Counts() []Count {
	counts := []Count{}
	for _, state := range states {
		n := Count{State: state}
		for _, x := range p.Papers {
			if x.State != state {
				continue
			}
			n.Total++
			*map[Role]*int{Anchor: &n.Anchor, Reference: &n.Reference, Venue: &n.Venue}[x.Role]++
		}
		if n.Total > 0 {
			counts = append(counts, n)
		}
	}
	return counts
}

// Reason is the number of papers that have no address, or failed, for the same reason.
type Reason struct {
	State  State  `json:"state"`
	Reason string `json:"reason"`
	Papers int    `json:"papers"`
}

// Reasons counts papers by reason, the most frequent of each state first.
func (p Plan) Reasons() []Reason {
	papers := map[Reason]int{}
	for _, x := range p.Papers {
		if x.Reason != "" {
			papers[Reason{State: x.State, Reason: x.Reason}]++
		}
	}
	reasons := []Reason{}
	for r, n := range papers {
		r.Papers = n
		reasons = append(reasons, r)
	}
	slices.SortFunc(reasons, func(a, b Reason) int {
		order := slices.Index(states, a.State) - slices.Index(states, b.State)
		return cmp.Or(order, b.Papers-a.Papers, strings.Compare(a.Reason, b.Reason))
	})
	return reasons
}

// Missing returns the papers that are not in the data directory.
func (p Plan) Missing() []Paper {
	return slices.DeleteFunc(slices.Clone(p.Papers), func(x Paper) bool { return x.State == Present || x.State == Fetched })
}

// LeastTime returns the minimum time to fetch the waiting papers with a delay between two requests to one host.
func (p Plan) LeastTime(delay time.Duration) time.Duration {
	perHost, most := map[string]int{}, 0
	for _, x := range p.Papers {
		if u, err := url.Parse(x.Item.URL); x.State == Waiting && err == nil {
			perHost[u.Host]++
			most = max(most, perHost[u.Host])
		}
	}
	return (time.Duration(most) * max(delay, 0)).Round(time.Second)
}
