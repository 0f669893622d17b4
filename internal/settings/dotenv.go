package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/joho/godotenv"

	"airqa/internal/files"
)

// envFile is the file of variables in the working directory and in the user's folder.
const envFile = ".env"

// LoadKeys sets the environment variables of keys that are not set yet from [envFile] in the working directory and in the
// user's folder. It takes nothing else from them: a file that happens to be there must not choose where requests go. It returns
// a note for each file that sets a key.
func LoadKeys(keys []string) (notes []string, err error) {
	paths := []string{envFile}
	if dir := userFolder(); dir != "" {
		paths = append(paths, filepath.Join(dir, envFile))
	}
	for _, path := range paths {
		raw, err := files.ReadRegular(nil, path, maxFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return notes, err
		}
		lines := slices.Collect(bytes.Lines(files.Text(raw)))
		read := len(lines)
		values, err := parseEnv(lines)
		for failed := err; failed != nil && read > 0; _, failed = parseEnv(lines[:read]) {
			read--
		}
		if err != nil { // the parser's message quotes the line, which may be a key
			return notes, fmt.Errorf("%s: a line is not NAME=VALUE: line %d", path, read+1)
		}
		for _, name := range slices.Sorted(slices.Values(keys)) {
			if os.Getenv(name) != "" || values[name] == "" {
				continue
			}
			if err := os.Setenv(name, values[name]); err != nil {
				return notes, fmt.Errorf("%s: %s: %w", path, name, err)
			}
			notes = append(notes, fmt.Sprintf("note: %s is from %s", name, path))
		}
	}
	return notes, nil
}

func parseEnv(lines [][]byte) (map[string]string, error) {
	return godotenv.Parse(bytes.NewReader(slices.Concat(lines...)))
}
