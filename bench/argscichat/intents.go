package argscichat

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/qa/dataset"
)

// Intent is a labelled sentence of the dialogues.
type Intent struct {
	// Dialogue counts from 0: one begins where the proponent follows the expert.
	Dialogue int
	// Expert is false for the proponent.
	Expert bool
	// Message and Sentence are the numbers in the file, from 0.
	Message, Sentence int
	Text, Tag         string
}

// IntentTags are the tags of an [Intent]: the paper's AI, ST, GI, GO and AO, and the two outside its classes.
var IntentTags = []string{"Ask_Info", "Ask_Suggestion", "Reply_Info", "Give_Opinion", "Ask_Rebuttal", "Intro", "Outro"}

var intentColumns = []string{"Role", "Message Number", "Sentence Number", "Sentence", "Tag"}

// LoadIntents reads labelled sentences, a CSV file without a column for the dialogue: each has the rows of
// the proponent, then those of the expert. Rows with faults are left out; gaps in the numbers of messages are faults
// only.
func LoadIntents(path string) ([]Intent, []*dataset.Fault, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read intents: %w", err)
	}
	defer func() { _ = f.Close() }()
	rows := csv.NewReader(f)
	head, err := rows.Read()
	if err == nil && !slices.Equal(head, intentColumns) {
		err = fmt.Errorf("the columns are %q, not %q", head, intentColumns)
	}
	r := intentReader{file: filepath.Base(path), last: true}
	for err == nil {
		var row []string
		if row, err = rows.Read(); err == nil {
			r.line, _ = rows.FieldPos(0)
			r.row(row)
		}
	}
	if !errors.Is(err, io.EOF) || head == nil {
		return nil, nil, fmt.Errorf("read intents: %s: %w", path, err)
	}
	r.gaps()
	return r.list, r.faults, nil
}

type intentReader struct {
	file     string
	line     int
	list     []Intent
	faults   []*dataset.Fault
	last     bool // the last row was an expert's
	dialogue int  // from 1
}

func (r *intentReader) fault(loaded bool, format string, args ...any) {
	r.faults = append(r.faults, &dataset.Fault{File: r.file, Line: r.line, Text: fmt.Sprintf(format, args...), Loaded: loaded})
}

func (r *intentReader) row(row []string) {
	role := slices.Index([]string{"Proponent", "Domain Expert"}, row[0])
	message, err1 := strconv.Atoi(row[1])
	sentence, err2 := strconv.Atoi(row[2])
	switch {
	case role < 0:
		r.fault(false, "column Role: %q must be Proponent or Domain Expert", row[0])
	case err1 != nil || message < 0:
		r.fault(false, "column Message Number: %q must be a number from 0", row[1])
	case err2 != nil || sentence < 0:
		r.fault(false, "column Sentence Number: %q must be a number from 0", row[2])
	case !slices.Contains(IntentTags, row[4]):
		r.fault(false, "column Tag: %q must be one of %s", row[4], strings.Join(IntentTags, ", "))
	default:
		expert := role == 1
		if r.last && !expert {
			r.gaps()
			r.dialogue++
		}
		r.last = expert
		r.list = append(r.list, Intent{r.dialogue - 1, expert, message, sentence, row[3], row[4]})
	}
}

// gaps reports the messages that the last dialogue lacks.
func (r *intentReader) gaps() {
	said := make(map[int]bool)
	most := -1
	for _, s := range r.list {
		if s.Dialogue == r.dialogue-1 {
			said[s.Message] = true
			most = max(most, s.Message)
		}
	}
	for i := range most {
		if !said[i] {
			r.fault(true, "dialogue %d has no message %d", r.dialogue-1, i)
		}
	}
}
