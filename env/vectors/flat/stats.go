package flat

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Stats is the size of a collection.
type Stats struct {
	// Segments is the number of segments, Records of records, Deleted of records that the next merges remove.
	Segments, Records, Deleted int
	// Bytes is the size of the files, which other generations may share.
	Bytes int64
	// Documents and Words are those of the statistics of a collection of words: Words is the number of distinct ones.
	Documents, Words int
}

// Stats returns the size of a collection.
func (s *Store) Stats(_ context.Context, name string) (st Stats, err error) {
	err = s.with(name, func(c *collection) error {
		st.Documents = c.manifest.Corpus.Documents
		for _, n := range c.manifest.Corpus.Frequencies {
			st.Words += n
		}
		for _, p := range c.parts {
			st.Segments++
			st.Records, st.Deleted = st.Records+p.live(), st.Deleted+len(p.deleted())
			for _, file := range []string{p.entry.File, p.entry.Gone} {
				if file == "" {
					continue
				}
				info, err := os.Stat(filepath.Join(s.folder(name), file))
				if err != nil {
					return fmt.Errorf("size of collection %s: %w", name, err)
				}
				st.Bytes += info.Size()
			}
		}
		return nil
	})
	return st, err
}
