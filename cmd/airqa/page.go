package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/env"
	"airqa/env/paperdb"
	"airqa/internal/terminal"
	"airqa/qa"
)

type pageCmd struct {
	dataFlags
	Paper string  `required:"" placeholder:"PAPER" help:"Paper: uuid or a prefix of it, file name, or part of the title."`
	Page  int     `placeholder:"N" help:"Number of the page in the file, from 1."`
	Label string  `placeholder:"LABEL" help:"Page with this number printed on it, such as 118 or iv, in place of --page."`
	Box   string  `placeholder:"X0,Y0,W,H" help:"Region in points from the top left. Default: the whole page."`
	Boxes bool    `help:"Outline the figures and tables found on the page."`
	DPI   float64 `name:"dpi" default:"150" help:"Pixels per inch."`
	Out   string  `short:"o" placeholder:"FILE" help:"PNG file to write. Default: UUID-pN.png, with the first 8 characters of the uuid."`
}

func (c pageCmd) Run(a *app) error {
	box, err := parseBox(c.Box)
	if err != nil {
		return err
	}
	if err := c.check(box); err != nil {
		return err
	}
	world, err := c.open(a, env.Config{NoSearch: true, DPI: c.DPI})
	if err != nil {
		return err
	}
	defer func() { _ = world.Close() }()
	paper, err := world.Papers().FindOne(a.ctx, c.Paper)
	if err != nil {
		return asFault(err)
	}
	if c.Label != "" {
		if c.Page, err = labelledPage(a, world, paper, c.Label); err != nil {
			return err
		}
	}
	var im qa.Image
	if c.Boxes {
		im, err = world.ViewBoxes(a.ctx, paper.PaperID, c.Page)
	} else {
		im, err = world.View(a.ctx, paper.PaperID, c.Page, box)
	}
	if err != nil {
		return asFault(err)
	}
	if box != nil && !slices.Equal(box, im.Box) {
		a.say("note: --box extends beyond the page; the image shows %v", im.Box)
	}
	c.Out = cmp.Or(c.Out, fmt.Sprintf("%.8s-p%d.png", im.PaperID, im.Page))
	if err := os.WriteFile(c.Out, im.Data, 0o644); err != nil { //nolint:gosec // an image is for everyone
		return fmt.Errorf("write image: %w", err)
	}
	return a.print(fmt.Sprintf("%s: page %d, %d x %d pixels", c.Out, im.Page, im.Width, im.Height))
}

// labelledPage returns the number of the only page with a label.
func labelledPage(a *app, world *env.Env, paper paperdb.Name, label string) (int, error) {
	file, err := world.Papers().File(a.ctx, paper.PaperID)
	if err != nil {
		return 0, err
	}
	var pages []string
	for i, l := range file.Labels {
		if strings.EqualFold(l, label) {
			pages = append(pages, strconv.Itoa(i+1))
		}
	}
	switch {
	case file.Labels == nil:
		return 0, fmt.Errorf("no page of %q has another number than its place in the file; use --page", paper.Title)
	case len(pages) == 0:
		return 0, fmt.Errorf("no page of %q has the label %q; it has %s", paper.Title, label, terminal.Clip(strings.Join(file.Labels, ", "), 200))
	case len(pages) > 1:
		return 0, fmt.Errorf("pages %s of %q have the label %q; choose with --page", strings.Join(pages, ", "), paper.Title, label)
	}
	return strconv.Atoi(pages[0])
}

func (c pageCmd) check(box []float64) error {
	if (c.Page == 0) == (c.Label == "") {
		return qa.Usagef("give --page N or --label LABEL")
	}
	if c.Boxes && box != nil {
		return qa.Usagef("--box and --boxes are mutually exclusive")
	}
	if c.DPI < 1 {
		return qa.Usagef("--dpi %g: must be at least 1", c.DPI)
	}
	if ext := strings.ToLower(filepath.Ext(c.Out)); ext != "" && ext != ".png" {
		return qa.Usagef("--out %s: pages are written as PNG; name a .png file", c.Out)
	}
	return nil
}

// parseBox reads "308,224,238,79", or "[308, 224, 238, 79]" as airqa sql prints a bounding_box.
func parseBox(s string) ([]float64, error) {
	if s == "" {
		return nil, nil
	}
	parts := strings.FieldsFunc(strings.Trim(s, "[] "), func(r rune) bool { return r == ',' || r == ' ' })
	var box []float64
	for _, p := range parts {
		x, err := strconv.ParseFloat(p, 64)
		if err != nil {
			return nil, qa.Usagef("--box %q: %q is not a number; a box is X0,Y0,WIDTH,HEIGHT in points", s, p)
		}
		box = append(box, x)
	}
	if len(box) != 4 {
		return nil, qa.Usagef("--box %q: a box has four numbers, X0,Y0,WIDTH,HEIGHT in points", s)
	}
	return box, nil
}
