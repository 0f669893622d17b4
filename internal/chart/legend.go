package chart

import "fmt"

// swatch draws the sign of a series with its left end at x and its middle at y.
type swatch func(c *canvas, x, y float64, series int)

const (
	swatchWidth = 22.0
	legendLine  = 18.0
)

// legend names the series in as many lines as it takes, from the top; it returns its height. One series without a
// name needs none.
func (c *canvas) legend(names []string, draw swatch) float64 {
	if len(names) == 0 || len(names) == 1 && names[0] == "" {
		return 0
	}
	x, y := 0.0, 10.0
	for i, name := range names {
		if name == "" {
			name = fmt.Sprintf("series %d", i+1)
		}
		name = fit(clean(name), width-swatchWidth-8)
		w := swatchWidth + 4 + textWidth(name)
		if x > 0 && x+w > width {
			x, y = 0, y+legendLine
		}
		draw(c, x, y, i)
		c.text(x+swatchWidth+4, y+4, atStart, "label", name)
		x += w + 12
	}
	return y + 14
}
