package flat

import (
	"errors"
	"fmt"
	"path/filepath"

	"airqa/env/vectors"
)

// part is a segment with its deleted records, as one version of a collection lists it.
type part struct {
	*set
	entry segment
	gone  *file // nil without deleted records
}

// openPart opens the files of a segment and checks that they are those of the manifest.
func openPart(dir string, s segment, kind vectors.Kind) (*part, error) {
	f, err := openFile(filepath.Join(dir, s.File), maxCheckedAtOpen)
	if err != nil {
		return nil, err
	}
	set, err := newSet(f)
	if err != nil {
		_ = f.close() // the first error is more specific
		return nil, fmt.Errorf("read collection %s: %w", f.head.Collection.Name, err)
	}
	p := &part{set: set, entry: s}
	switch {
	case set.info.Kind != kind:
		err = fmt.Errorf("segment %s of kind %s: %w", s.File, set.info.Kind, errDamaged)
	case s.HeadCRC32C != 0 && s.HeadCRC32C != set.file.sum:
		err = fmt.Errorf("segment %s is not that of the manifest: %w", s.File, errDamaged)
	case s.Gone != "":
		err = p.openGone(filepath.Join(dir, s.Gone))
	}
	if err != nil {
		return nil, errors.Join(err, p.release())
	}
	p.entry.HeadCRC32C = set.file.sum
	return p, nil
}

func (p *part) openGone(path string) error {
	f, err := openFile(path, maxCheckedAtOpen)
	if err != nil {
		return err
	}
	p.gone = f
	if want := p.entry.GoneCRC32C; want != 0 && want != f.sum {
		return fmt.Errorf("deleted records %s are not those of the manifest: %w", p.entry.Gone, errDamaged)
	}
	p.entry.GoneCRC32C = f.sum
	records := view[uint32](f.parts["gone"])
	for i, r := range records {
		if uint64(r) >= uint64(p.records) || i > 0 && r <= records[i-1] {
			return fmt.Errorf("deleted record %d: %w", r, errDamaged)
		}
	}
	p.origins.dead = newBits(p.records, records)
	if p.words != nil {
		p.words.fewer = view[fewer](f.parts["fewer"])
	}
	return nil
}

func (p *part) live() int { return p.records - len(p.deleted()) }

// deleted returns the deleted records, ascending.
func (p *part) deleted() []uint32 {
	if p.gone == nil {
		return nil
	}
	return view[uint32](p.gone.parts["gone"])
}

// verify compares the checksums of the files, and the manifest with them.
func (p *part) verify(check func() error) error {
	err := p.file.verify(check)
	if err == nil && p.gone != nil {
		err = p.gone.verify(check)
	}
	if err == nil && (p.live() != p.entry.Records || len(p.deleted()) != p.entry.Dead) {
		err = fmt.Errorf("segment %s has %d records, the manifest %d: %w", p.entry.File, p.live(), p.entry.Records, errDamaged)
	}
	return err
}

func (p *part) release() error {
	err := p.file.close()
	if p.gone != nil {
		err = errors.Join(err, p.gone.close())
	}
	return err
}
