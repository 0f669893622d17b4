package paperdb

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// Marks are the beginnings of problems that concern every user of a paper, and not only those who read it in.
const (
	// Illegible marks a paper most of whose letters are wrong.
	Illegible = "mostly illegible: "
	// Withdrawn marks a paper that says so of itself. Its mark follows, in quotation marks.
	Withdrawn = "the paper is marked "
)

// Marked returns the problem that begins with a mark, without it; "" if there is none.
func (f File) Marked(mark string) string {
	for _, p := range f.Problems {
		if reason, ok := strings.CutPrefix(p, mark); ok {
			return reason
		}
	}
	return ""
}

// Withdrawn returns the mark of a paper that was retracted, such as "RETRACTED ARTICLE"; "" for others.
func (f File) Withdrawn() string {
	quoted := f.Marked(Withdrawn)
	mark, err := strconv.Unquote(quoted)
	if err != nil {
		return quoted
	}
	return mark
}

// labelsMark begins the note with the labels of the pages.
const labelsMark = "page labels:\n"

// notes are the problems and the labels as stored: data directories of this format have no other column for them.
func (f File) notes() []string {
	if f.Labels == nil {
		return f.Problems
	}
	return append(slices.Clone(f.Problems), labelsMark+strings.Join(f.Labels, "\n"))
}

// notesCell scans problems and labels.
type notesCell File

func (c *notesCell) Scan(value any) error {
	err := (*textsCell)(&c.Problems).Scan(value)
	if n := len(c.Problems) - 1; n >= 0 {
		if labels, ok := strings.CutPrefix(c.Problems[n], labelsMark); ok {
			c.Problems, c.Labels = c.Problems[:n:n], strings.Split(labels, "\n")
		}
	}
	return err
}

// Label returns the label of a page (from 1) if it is another number; "" otherwise.
func (f File) Label(page int) string {
	if page < 1 || page > len(f.Labels) || f.Labels[page-1] == strconv.Itoa(page) {
		return ""
	}
	return f.Labels[page-1]
}

// File returns the source file of a paper; the zero value for an unknown paper.
func (r *Reader) File(ctx context.Context, paperID string) (File, error) {
	found, err := files(ctx, r.db, "WHERE paper_id = TRY_CAST(? AS UUID)", paperID)
	if err != nil || len(found) == 0 {
		return File{}, err
	}
	return found[0].File, nil
}

// Marked returns the papers with a mark, ordered by id.
func (r *Reader) Marked(ctx context.Context, mark string) ([]Owned, error) {
	return files(ctx, r.db, "WHERE contains(chr(10) || array_to_string(problems, chr(10)), chr(10) || ?)", mark)
}
