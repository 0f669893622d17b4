package annotate

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"airqa/internal/files"
	"airqa/internal/ledger"
)

// ExportConfig configures [Export].
type ExportConfig struct {
	Dir, Out string
	// Unparsed is the file for replies without a verdict; it is written if there are any.
	Unparsed string
	Rule     Rule
}

// Exported counts what [Export] wrote.
type Exported struct {
	Annotations int `json:"annotations"`
	Unparsed    int `json:"unparsed"`
	// Damaged counts lines of the log that cannot be read.
	Damaged int `json:"damaged"`
}

// row is an annotation in the benchmark's form; an unparsed one has no score.
type row struct {
	Aspect   string `json:"aspect_id"`
	Abstract int    `json:"abstract_id"`
	Reply    string `json:"gpt_response"`
	Score    *Score `json:"score,omitempty"`
}

// Export writes the last reply to each pair as a list like the benchmark's Annotation, sorted by pair. The rule is applied
// to the recorded replies, so that no call is made.
func Export(c ExportConfig) (e Exported, err error) {
	log, err := openLog(c.Dir, c.Rule, false, nil)
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	list := latest(log)
	var parsed, rest []kept
	for _, k := range list {
		if k.score == Unparsed {
			rest = append(rest, k)
		} else {
			parsed = append(parsed, k)
		}
	}
	e = Exported{len(parsed), len(rest), log.Damaged()}
	if len(list) == 0 {
		return e, fmt.Errorf("%s has no replies; airqa annotate --out %s asks for them", filepath.Join(c.Dir, LogFile), c.Dir)
	}
	if err := write(c.Out, log, parsed); err != nil || len(rest) == 0 {
		return e, err
	}
	return e, write(c.Unparsed, log, rest)
}

// latest are the last replies to all pairs, sorted. Numbers of aspects sort as numbers.
func latest(log *annotations) []kept {
	var list []kept
	for name := range log.replied {
		k, _ := log.Get(name)
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b kept) int {
		x, errX := strconv.Atoi(a.aspect)
		y, errY := strconv.Atoi(b.aspect)
		if errX != nil || errY != nil {
			x, y = 0, 0
		}
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.aspect, b.aspect), cmp.Compare(a.abstract, b.abstract))
	})
	return list
}

func write(path string, log *annotations, list []kept) error {
	return files.Write(path, func(out io.Writer) error {
		w := bufio.NewWriter(out)
		_, _ = w.WriteString("[")
		for i, k := range list {
			raw, err := log.Line(k.at)
			if err != nil {
				return err
			}
			var l line
			if err := json.Unmarshal(raw, &l); err != nil {
				return err
			}
			r := row{Aspect: l.Aspect, Abstract: l.Abstract, Reply: l.Reply}
			if k.score != Unparsed {
				r.Score = &k.score
			}
			text, err := ledger.Encode(r)
			if err != nil {
				return err
			}
			if i > 0 {
				_, _ = w.WriteString(",")
			}
			_, _ = w.WriteString("\n")
			_, _ = w.Write(text[:len(text)-1]) // without its newline
		}
		_, _ = w.WriteString("\n]\n")
		return w.Flush()
	})
}
