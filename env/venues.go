package env

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"airqa/env/datadir"
	"airqa/qa"
)

// ByVenue lists the papers of some venue-years, in the order of ids.
func (p *Papers) ByVenue(ctx context.Context, want func(venue string) bool) (map[string][]string, error) {
	all, err := p.Venues(ctx)
	if err != nil {
		return nil, err
	}
	venues := make(map[string][]string)
	for _, v := range all {
		name := qa.VenueYear(v.Conference, v.Year)
		if !want(name) {
			continue
		}
		ids, err := p.IDsOf(ctx, v)
		if err != nil {
			return nil, err
		}
		venues[name] = append(venues[name], ids...)
	}
	for _, ids := range venues { // several spellings of a venue have the same name
		slices.Sort(ids)
	}
	return venues, nil
}

// VenuesIn lists the papers of the data directory at path by venue-year. The directory may be missing or unfinished, and needs
// no search index.
func VenuesIn(ctx context.Context, path string) (_ map[string][]string, err error) {
	papers, err := OpenPapers(ctx, path)
	if errors.Is(err, datadir.ErrNotDataDir) || errors.Is(err, datadir.ErrUnfinished) || errors.Is(err, fs.ErrNotExist) {
		return map[string][]string{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, papers.Close()) }()
	return papers.ByVenue(ctx, func(string) bool { return true })
}
