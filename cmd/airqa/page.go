package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"airqa/env"
	"airqa/internal/exit"
	"airqa/qa"
)

type pageCmd struct {
	dataFlags
	Paper string  `required:"" placeholder:"PAPER" help:"Paper: uuid or the start of one, file name, or part of the title."`
	Page  int     `required:"" placeholder:"N" help:"Page, counted from 1."`
	Box   string  `placeholder:"X0,Y0,W,H" help:"Part of the page in points from its top left; without it the whole page."`
	Boxes bool    `help:"Outline the figures and tables that were found on the page."`
	DPI   float64 `name:"dpi" default:"150" help:"Pixels per inch."`
	Out   string  `short:"o" placeholder:"FILE" help:"PNG file to write. Default: UUID-pN.png, with the first 8 characters of the paper's uuid."`
}

func (pageCmd) Help() string {
	return `Examples:
  airqa page --data papers --paper 2c5da742-68a4-5943-9044-b273ed4f6131 --page 3
  airqa page --data papers --paper 2c5da742 --page 3 --box 70,90,300,200 --out figure.png
  airqa page --data papers --paper attention --page 3 --boxes --out boxes.png`
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
	im, err := c.draw(a, world, box)
	if err != nil {
		return asFault(err)
	}
	if box != nil && !slices.Equal(box, im.Box) {
		a.say("note: --box reaches beyond the page; the picture shows %v", im.Box)
	}
	if c.Out == "" {
		c.Out = fmt.Sprintf("%.8s-p%d.png", im.PaperID, im.Page)
	}
	if err := os.WriteFile(c.Out, im.Data, 0o644); err != nil { //nolint:gosec // a picture is for everyone
		return fmt.Errorf("write picture: %w", err)
	}
	return a.print(fmt.Sprintf("%s: page %d, %d x %d pixels", c.Out, im.Page, im.Width, im.Height))
}

func (c pageCmd) check(box []float64) error {
	if c.Boxes && box != nil {
		return exit.Misuse("--boxes outlines what is on a whole page; leave --box out")
	}
	if c.DPI < 1 {
		return exit.Misuse("--dpi %g: at least 1 pixel per inch", c.DPI)
	}
	if ext := strings.ToLower(filepath.Ext(c.Out)); ext != "" && ext != ".png" {
		return exit.Misuse("--out %s: pages are written as PNG; name a .png file", c.Out)
	}
	return nil
}

// draw finds the paper and draws the page, or the box of it.
func (c pageCmd) draw(a *app, world *env.Env, box []float64) (qa.Image, error) {
	papers, err := world.Holdings(a.ctx)
	if err != nil {
		return qa.Image{}, err
	}
	paper, err := env.FindPaper(papers, c.Data, c.Paper)
	if err != nil {
		return qa.Image{}, err
	}
	if c.Boxes {
		return world.ViewBoxes(a.ctx, paper.PaperID, c.Page)
	}
	return world.View(a.ctx, paper.PaperID, c.Page, box)
}

// parseBox reads "308,224,238,79", and "[308 224 238 79]" as airqa sql prints a bounding_box.
func parseBox(s string) ([]float64, error) {
	if s == "" {
		return nil, nil
	}
	parts := strings.FieldsFunc(strings.Trim(s, "[] "), func(r rune) bool { return r == ',' || r == ' ' })
	var box []float64
	for _, p := range parts {
		x, err := strconv.ParseFloat(p, 64)
		if err != nil {
			return nil, exit.Misuse("--box %q: %q is not a number; a box is X0,Y0,WIDTH,HEIGHT in points", s, p)
		}
		box = append(box, x)
	}
	if len(box) != 4 {
		return nil, exit.Misuse("--box %q: a box has four numbers, X0,Y0,WIDTH,HEIGHT in points", s)
	}
	return box, nil
}
