package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"airqa/env/pdf"
	"airqa/ingest/layout"
	"airqa/ingest/structure"
)

type contents struct {
	structure.Source
	Fidelity
	problems  []string
	broken    *pdf.PageError // of a page that cannot be read
	unread    string         // the number of characters that cannot be read, a problem; "" if there are none
	illegible string         // the reason why much of the text is wrong, also the first problem; "" if it is not
}

// readDocument extracts everything from an open document. Pages that cannot be read remain empty and are reported.
func readDocument(ctx context.Context, doc *pdf.Document) (c contents, err error) {
	inputs, texts := make([]layout.Input, doc.Pages()), make([]string, doc.Pages())
	for i := range inputs {
		in, text, err := readPage(ctx, doc, i+1)
		var bad *pdf.PageError
		switch {
		case errors.As(err, &bad):
			c.problems, c.broken = append(c.problems, bad.Error()), bad
		case err != nil:
			return c, err
		case !slices.ContainsFunc(in.Glyphs, func(g layout.Glyph) bool { return g.Rune != ' ' && g.Rune != '\n' }):
			c.problems = append(c.problems, fmt.Sprintf("page %d has no text; is it a scan?", i+1))
		}
		inputs[i], texts[i] = in, text
	}
	undecoded, illegible := decodeFonts(inputs, texts, func() string { // the titles that the file has apart from its pages
		var b strings.Builder
		outline, _ := doc.Outline(ctx) // readMarks reports errors
		for _, h := range outline {
			b.WriteString(h.Title + "\n")
		}
		meta, _ := doc.Metadata(ctx)
		return b.String() + meta.Title
	})
	if illegible {
		undecoded = Illegible + undecoded
		c.illegible = undecoded
	}
	if undecoded != "" {
		c.problems = append([]string{undecoded}, c.problems...)
	}
	c.unread = dropUnread(inputs)
	c.Doc = layout.Analyze(inputs)
	var unfaithful []string
	c.Fidelity, unfaithful = fidelity(c.Doc, texts)
	marks, err := readMarks(ctx, doc, &c.Source)
	c.problems = slices.Concat(c.problems, unfaithful, marks)
	return c, err
}

// readPage returns a page for layout, and its text as extracted by PDFium.
func readPage(ctx context.Context, doc *pdf.Document, n int) (in layout.Input, text string, err error) {
	width, height, err := doc.PageSize(ctx, n)
	if err != nil {
		return in, "", err
	}
	in.Width, in.Height = width, height
	in.Glyphs, text, err = doc.GlyphsAndText(ctx, n)
	if err != nil {
		return in, "", err
	}
	if label, _ := doc.PageLabel(ctx, n); label != strconv.Itoa(n) { // many programs only count
		in.Label = label
	}
	in.Shapes, err = doc.Shapes(ctx, n)
	in.Glyphs = underscores(in.Glyphs, in.Shapes)
	return in, text, err
}

// readMarks adds anchors, outline and the file's own title. Broken ones are reported and omitted.
func readMarks(ctx context.Context, doc *pdf.Document, source *structure.Source) (problems []string, err error) {
	note := func(what string, err error) {
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s cannot be read: %v", what, err))
		}
	}
	anchors, err := doc.Anchors(ctx)
	note("link targets", err)
	for i := range anchors {
		if a := &anchors[i]; a.Page > 0 && a.Page <= len(source.Doc.Pages) {
			a.X, a.Y = source.Doc.Pages[a.Page-1].Upright(a.X, a.Y)
		}
	}
	outline, err := doc.Outline(ctx)
	note("outline", err)
	for i := range outline {
		if h := &outline[i]; h.Page > 0 && h.Page <= len(source.Doc.Pages) && source.Doc.Pages[h.Page-1].Turned != 0 {
			h.Y = 0 // without its x, the position in the text is unknown
		}
	}
	source.Anchors, source.Outline = anchors, outline
	meta, err := doc.Metadata(ctx)
	note("document properties", err)
	source.Title, source.Author = meta.Title, meta.Author
	return problems, ctx.Err()
}
