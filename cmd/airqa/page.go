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
	"airqa/qa"
)

type pageCmd struct {
	dataFlags
	Paper string  `required:"" placeholder:"PAPER" help:"Paper: uuid or a prefix of it, file name, or part of the title."`
	Page  int     `required:"" placeholder:"N" help:"Page number, from 1."`
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

func (c pageCmd) check(box []float64) error {
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
