package datadir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"airqa/internal/files"
)

// Downloads returns the path of the folder of fetched papers, whether or not it exists.
func (d *Dir) Downloads() string { return filepath.Join(d.path, downloadsName) }

// DownloadsByHash returns the fetched PDFs by the SHA-256 of their content, with the names of the metadata files beside
// them, as paths relative to the data directory with forward slashes. It reads only files of the given sizes.
func (d *Dir) DownloadsByHash(sizes map[int64]bool) (map[string][]string, error) {
	byHash := map[string][]string{}
	entries, err := os.ReadDir(d.Downloads())
	if errors.Is(err, fs.ErrNotExist) {
		return byHash, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		stem, isPDF := strings.CutSuffix(e.Name(), ".pdf")
		if !isPDF || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err != nil || !sizes[info.Size()] {
			continue // a file that has just gone has no size either
		}
		sum, err := files.HashFile(filepath.Join(d.Downloads(), e.Name()))
		if err != nil {
			return nil, err
		}
		byHash[sum] = append(byHash[sum], downloadsName+"/"+e.Name(), downloadsName+"/"+stem+".json")
	}
	return byHash, nil
}
