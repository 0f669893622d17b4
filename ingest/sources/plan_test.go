package sources_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/ingest/sources"
	"airqa/qa"
)

func id(n int) string { return fmt.Sprintf("%08d-0000-4000-8000-000000000000", n) }

// sixPapers is a catalog of papers 0 to 5 of ACL 2023: 3 has no address, 4 has that of 2, and 5 is at another host.
func sixPapers(t *testing.T) *sources.Catalog {
	t.Helper()
	dir := t.TempDir()
	for n := range 6 {
		record := map[string]any{"uuid": id(n), "title": fmt.Sprint("Paper ", n), "conference": "ACL", "year": 2023}
		switch n {
		case 3:
		case 4:
			record["pdf_url"] = "https://example.org/2.pdf"
		case 5:
			record["pdf_url"] = " https://other.example.org/5 x.pdf#page=2 "
		default:
			record["pdf_url"] = fmt.Sprintf("https://example.org/%d.pdf", n)
		}
		raw, err := json.Marshal(record)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, id(n)+".json"), raw, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	all, err := sources.OpenCatalog([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestMakePlan(t *testing.T) {
	c := sources.PlanConfig{
		Metadata: sixPapers(t),
		Questions: []qa.Example{
			{UUID: "a", AnchorPDF: []string{id(2)}, ReferencePDF: []string{id(9), id(1)}},
			{UUID: "b", AnchorPDF: []string{strings.ToUpper(id(1)), id(2)}},
			{UUID: "c", Conference: []string{"acl2023", "iclr2024"}},
			{UUID: "d", Conference: []string{"ACL2023"}},
		},
		Held: map[string][]string{"acl2023": {id(0), id(7)}},
	}
	plan := sources.MakePlan(c)
	var got []string
	for _, p := range plan.Papers {
		got = append(got, strings.TrimSpace(fmt.Sprintln(strings.TrimLeft(p.ID[:8], "0"), p.Role, p.State, p.Reason)))
	}
	want := []string{
		"2 anchor to fetch", "9 reference no address no metadata", "1 anchor to fetch", "venue present",
		"3 venue no address metadata without pdf_url", "4 venue no address same pdf_url as paper " + id(2), "5 venue to fetch",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("papers (-want +got):\n%s", diff)
	}
	last := plan.Papers[len(plan.Papers)-1]
	if last.Item.URL != "https://other.example.org/5%20x.pdf" || last.Item.Name != id(5) {
		t.Errorf("download %+v", last.Item)
	}
	venues := []sources.SearchedVenue{{Venue: "acl2023", Questions: 2, Papers: 6, Present: 2}, {Venue: "iclr2024", Questions: 1}}
	if diff := cmp.Diff(venues, plan.Venues); diff != "" {
		t.Errorf("venues (-want +got):\n%s", diff)
	}
	var counts []string
	for _, n := range plan.Counts() {
		counts = append(counts, fmt.Sprintln(n.State, n.Anchor, n.Reference, n.Venue, n.Total))
	}
	if diff := cmp.Diff([]string{"present 0 0 1 1\n", "to fetch 2 0 1 3\n", "no address 0 1 2 3\n"}, counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	reasons := []sources.Reason{
		{State: sources.NoAddress, Reason: "metadata without pdf_url", Papers: 1},
		{State: sources.NoAddress, Reason: "no metadata", Papers: 1},
		{State: sources.NoAddress, Reason: "same pdf_url as paper " + id(2), Papers: 1},
	}
	if diff := cmp.Diff(reasons, plan.Reasons()); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
	if n := len(plan.Missing()); n != 6 {
		t.Errorf("%d papers are missing, want 6", n)
	}
	if got := plan.LeastTime(3 * time.Second); got != 6*time.Second {
		t.Errorf("at least %v, want two requests to one host", got)
	}
	c.Named = true
	if plan := sources.MakePlan(c); len(plan.Papers) != 3 || len(plan.Venues) != 2 {
		t.Errorf("named: %+v", plan)
	}
}
