package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"airqa/env"
	"airqa/qa"
)

type pageCmd struct {
	dataFlags
	Paper string  `required:"" placeholder:"UUID" help:"Paper."`
	Page  int     `required:"" placeholder:"N" help:"Page, counted from 1."`
	Box   string  `placeholder:"X0,Y0,W,H" help:"Part of the page in points from its top left; without it the whole page."`
	Boxes bool    `help:"Outline the figures and tables that were found on the page."`
	DPI   float64 `name:"dpi" default:"150" help:"Pixels per inch."`
	Out   string  `required:"" placeholder:"FILE" help:"PNG file to write."`
}

// Help implements kong.HelpProvider.
func (pageCmd) Help() string {
	return `Examples:
  airqa page --data papers --paper 2c5da742-68a4-5943-9044-b273ed4f6131 --page 3 --out page.png
  airqa page --data papers --paper 2c5da742-68a4-5943-9044-b273ed4f6131 --page 3 --box 70,90,300,200 --out figure.png
  airqa page --data papers --paper 2c5da742-68a4-5943-9044-b273ed4f6131 --page 3 --boxes --out boxes.png`
}

// Run implements the sub-command.
func (c pageCmd) Run(a *app) error {
	box, err := parseBox(c.Box)
	if err != nil {
		return err
	}
	if c.Boxes && box != nil {
		return misuse("--boxes outlines what is on a whole page; leave --box out")
	}
	if c.DPI < 1 {
		return misuse("--dpi %g: at least 1 pixel per inch", c.DPI)
	}
	world, err := c.open(a, env.Config{NoSearch: true, DPI: c.DPI})
	if err != nil {
		return err
	}
	defer func() { _ = world.Close() }()
	draw := func() (qa.Image, error) { return world.View(a.ctx, c.Paper, c.Page, box) }
	if c.Boxes {
		draw = func() (qa.Image, error) { return world.ViewBoxes(a.ctx, c.Paper, c.Page) }
	}
	im, err := draw()
	if err != nil {
		return asFault(err)
	}
	if err := os.WriteFile(c.Out, im.Data, 0o644); err != nil { //nolint:gosec // a picture is for everyone
		return fmt.Errorf("write picture: %w", err)
	}
	return a.print(fmt.Sprintf("%s: page %d, %d x %d pixels", c.Out, im.Page, im.Width, im.Height))
}

func parseBox(s string) ([]float64, error) {
	if s == "" {
		return nil, nil
	}
	parts := strings.Split(strings.Trim(s, "[] "), ",")
	var box []float64
	for _, p := range parts {
		x, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil {
			return nil, misuse("--box %q: %q is no number; a box is X0,Y0,WIDTH,HEIGHT in points", s, p)
		}
		box = append(box, x)
	}
	if len(box) != 4 {
		return nil, misuse("--box %q: a box has four numbers, X0,Y0,WIDTH,HEIGHT in points", s)
	}
	return box, nil
}
