package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"airqa/env/paperdb"
	"airqa/eval"
	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/prompts"
	"airqa/qa"
)

// Context is the text that questions bring for the baseline given-context.
type Context string

// The contexts.
const (
	NoContext    Context = "none"
	Introduction Context = "introduction" // the first section, or what the document has before the second
	Oracle       Context = "gold"         // the gold evidence
)

// Config selects what questions show.
type Config struct {
	Context Context
	// History is the part of a dialogue's earlier messages that is shown.
	History prompts.HistoryForm
}

var formats = map[qa.Kind]string{
	qa.WithEvidence: "the shortest text that answers the question from the paper: a phrase of the paper, several joined by commas, a sentence " +
		"of your own, Yes, No, or Unanswerable if the paper does not tell",
	qa.Dialogue: "the next message of the expert on the paper, one to three sentences, supported by at most two passages",
	qa.Rank:     "all documents that fit the question, the most relevant first",
}

// Questions returns the items as questions about the papers of [Fill]. Their gold is in their
// evaluators, and in an [Oracle] context.
func Questions(b *Dataset, c Config) ([]qa.Example, error) {
	docs := b.Papers()
	seen := make(map[string]bool)
	var list []qa.Example
	for _, it := range b.Items {
		ex := it.Example
		if seen[ex.UUID] {
			return nil, fmt.Errorf("%s: two items have the id %s: a run needs an id for each", b.Name, ex.UUID)
		}
		seen[ex.UUID] = true
		ex.AnswerFormat = cmp.Or(ex.AnswerFormat, formats[ex.Kind])
		if ex.History = slices.Clone(ex.History); c.History == prompts.NoHistory {
			ex.History = nil
		}
		for i := range ex.History {
			if c.History == prompts.HistoryMessages {
				ex.History[i].Rationales = nil
			}
		}
		if it.Document != "" {
			ex.AnchorPDF = []string{PaperID(b.Name, it.Document)}
		}
		it.Gold.Pool = ex.Pool
		arguments, err := json.Marshal(it.Gold)
		if err != nil {
			return nil, err
		}
		ex.Evaluator = qa.Evaluator{Func: eval.Companion(b.Name), Kwargs: arguments}
		for _, id := range ex.Pool {
			ex.ReferencePDF = append(ex.ReferencePDF, PaperID(b.Name, id))
		}
		if ex.Context, err = contextOf(docs[it.Document], it.Gold, c.Context); err != nil {
			return nil, qa.Usagef("%s: %v", b.Name, err)
		}
		list = append(list, ex)
	}
	return list, nil
}

// PaperID is the UUID of a document's paper.
func PaperID(benchmark, document string) string {
	return qa.PaperUUID(benchmark+" "+document, benchmark)
}

// Store takes papers; an env.Writer is one.
type Store interface {
	Has(ctx context.Context, f paperdb.File) (paperID string, ok bool, err error)
	Put(ctx context.Context, p paperdb.Paper, pdf []byte) error
}

// Fill adds a paper for each document that is not there yet, and calls progress after each. Passages begin with the id that
// evidence names, such as "[p12]", and titles of documents to rank with that of the ranking: every tool and every baseline
// shows them as they are.
func Fill(ctx context.Context, b *Dataset, to Store, progress func(done, total int)) error {
	ranked := len(b.Items) > 0 && b.Items[0].Kind == qa.Rank
	for i, d := range b.Documents {
		p, err := paper(b.Name, d, ranked)
		if err != nil {
			return err
		}
		_, known, err := to.Has(ctx, p.File)
		if err == nil && !known {
			err = to.Put(ctx, p, nil)
		}
		if err != nil {
			return fmt.Errorf("document %s: %w", d.ID, err)
		}
		progress(i+1, len(b.Documents))
	}
	return nil
}

// paper makes the paper of a document: a page and a section for each section, a chunk for each unit. A document to rank
// has its abstract as the only chunk.
func paper(benchmark string, d Document, ranked bool) (paperdb.Paper, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return paperdb.Paper{}, err
	}
	id := PaperID(benchmark, d.ID)
	p := paperdb.Paper{
		Metadata: paperdb.Metadata{PaperID: id, Title: d.Title, Abstract: d.Abstract, Conference: benchmark},
		File:     paperdb.File{SHA256: files.Hash(raw), Name: d.ID, Parser: "bench 1"},
	}
	if ranked {
		p.Metadata.Title = marked(d.ID, d.Title)
		d.Units = []Unit{{ID: d.ID, Text: strings.TrimSpace(d.Title + "\n" + d.Abstract)}}
	}
	for i, u := range d.Units {
		if i == 0 || u.Section != d.Units[i-1].Section {
			n := len(p.Pages) + 1
			p.Pages = append(p.Pages, paperdb.Page{ID: qa.PageUUID(id, n), Number: n, Content: u.Section})
			p.Sections = append(p.Sections, paperdb.Section{ID: qa.SectionUUID(id, n-1), Title: u.Section, Ordinal: n - 1, PageNumbers: []int{n}})
		}
		if strings.TrimSpace(u.Text) == "" {
			continue
		}
		text := marked(u.ID, u.Text)
		page, section := &p.Pages[len(p.Pages)-1], &p.Sections[len(p.Sections)-1]
		page.Content = strings.TrimPrefix(page.Content+"\n"+text, "\n")
		section.Content = strings.TrimPrefix(section.Content+"\n"+text, "\n")
		p.Chunks = append(p.Chunks, paperdb.Chunk{
			ID: qa.PartUUID(p.Metadata.PaperID, page.Number, "chunk", len(p.Chunks)+1), Text: text, Ordinal: len(p.Chunks) + 1, PageID: page.ID,
		})
	}
	p.Metadata.NumPages = len(p.Pages)
	return p, nil
}

func marked(id, text string) string { return "[" + id + "] " + text }

func contextOf(d Document, gold Gold, which Context) (string, error) {
	var lines []string
	switch which {
	case NoContext, "":
	case Introduction:
		for _, u := range d.Units {
			if u.Section != d.Units[0].Section {
				break
			}
			if strings.TrimSpace(u.Text) != "" {
				lines = append(lines, marked(u.ID, u.Text))
			}
		}
	case Oracle: // the units that any annotator named, in the order of the document
		named := make(map[string]bool)
		for _, a := range gold.Answers {
			for _, id := range a.Units {
				named[id] = true
			}
		}
		for _, u := range d.Units {
			if named[u.ID] {
				lines = append(lines, marked(u.ID, u.Text))
			}
		}
	default:
		return "", fmt.Errorf("unknown context %q", which)
	}
	return strings.Join(lines, "\n"), nil
}

// Show returns an item as a prompt has it, without its gold: the document, the history and the question. id may be a part
// of an id that no other item has.
func Show(data *Dataset, id string, history prompts.HistoryForm) (string, error) {
	it, err := data.find(id)
	if err != nil {
		return "", err
	}
	var s strings.Builder
	for _, d := range data.Documents {
		if slices.Contains(it.Pool, d.ID) {
			fmt.Fprintf(&s, "[%s] %s\n%s\n\n", d.ID, d.Title, d.Abstract)
		}
		if d.ID != it.Document {
			continue
		}
		s.WriteString(d.Title + "\n\n")
		for _, u := range d.Units {
			s.WriteString("[" + u.ID + "] " + terminal.Line(u.Text) + "\n")
		}
		s.WriteString("\n")
	}
	if text := prompts.Dialogue(it.History, history); text != "" {
		s.WriteString(text + "\n")
	}
	s.WriteString("question: " + it.Question)
	return terminal.Safe(s.String()), nil
}

// find returns the item with an id, or the only one whose id contains it.
func (d *Dataset) find(id string) (Item, error) {
	var found []Item
	for _, it := range d.Items {
		switch {
		case it.UUID == id:
			return it, nil
		case strings.Contains(it.UUID, id):
			found = append(found, it)
		}
	}
	if len(found) != 1 {
		return Item{}, qa.Usagef("%d of %s of %s have %q in their id", len(found), terminal.Plural(len(d.Items), "item"), d.Name, id)
	}
	return found[0], nil
}
