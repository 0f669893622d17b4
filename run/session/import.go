package session

import (
	"context"
	"errors"
	"fmt"
	"io"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/ingest/release"
	"airqa/internal/progress"
)

// Import copies papers of the database at a path into a data directory, with progress bars. Ctrl-C works as for an ingest.
func (s Session) Import(to env.WriterConfig, database string, cfg release.Config) (sum release.Summary, err error) {
	ctx, drain, stop := s.Interrupts()
	defer stop()
	err = s.fill(ctx, drain, to, func(ctx context.Context, store *env.Writer) (done string, err error) {
		cfg.Store = store
		dir, err := datadir.Open(to.Dir)
		if err != nil {
			return "", err
		}
		cfg.Known = &release.Known{Path: database, Dir: dir}
		var stage *progress.Stage
		cfg.Progress = func(done, total int, title string) {
			if stage == nil {
				stage = s.Progress.Stage("import", total)
			}
			stage.Set(done, title)
		}
		sum, err = release.Import(ctx, cfg)
		if stage != nil {
			stage.Close(fmt.Sprintf("%d added, %d of them with PDF, %d already present, %d failed", sum.Added, sum.WithPDF, sum.Skipped, len(sum.Failed)))
		}
		if from, ok := cfg.From.(io.Closer); ok { // its memory is for the index
			err = errors.Join(err, from.Close())
		}
		return fmt.Sprintf("%d of %d papers", sum.Added+sum.Skipped+len(sum.Failed), sum.Total), err
	})
	return sum, err
}
