package preflight

import (
	"fmt"
	"image"
	_ "image/jpeg" // formats of images in training data
	_ "image/png"
	"math"
	"os"
)

// Sizes in pixels between which LLaMA-Factory brings images by default.
const (
	maxPixels = 768 * 768
	minPixels = 32 * 32
)

// imageTokens returns the number of tokens of an image, of which each is a square of patch pixels.
func imageTokens(i Image, patch int) (int, error) {
	if i.Width == 0 {
		f, err := os.Open(i.Path)
		if err != nil {
			return 0, fmt.Errorf("FileNotFoundError: No such file or directory: '%s'", i.Path)
		}
		defer func() { _ = f.Close() }()
		c, _, err := image.DecodeConfig(f)
		if err != nil {
			return 0, fmt.Errorf("UnidentifiedImageError: cannot identify image file '%s'", i.Path)
		}
		i.Width, i.Height = c.Width, c.Height
	}
	return patches(i.Width, i.Height, patch), nil
}

// patches follows the trainer's resizing and then Qwen's smart_resize.
func patches(w, h, patch int) int {
	scale := func(to int) {
		f := math.Sqrt(float64(to) / float64(w*h))
		w, h = int(float64(w)*f), int(float64(h)*f)
	}
	if w*h > maxPixels {
		scale(maxPixels)
	}
	if w*h < minPixels {
		scale(minPixels)
	}
	if min(w, h) < 28 {
		w, h = max(w, 28), max(h, 28)
	}
	if float64(w)/float64(h) > 200 {
		w = h * 180
	}
	if float64(h)/float64(w) > 200 {
		h = w * 180
	}
	return smartResize(w, h, patch)
}

// Limits of Qwen2-VL's image processor.
const (
	smartMin = 56 * 56
	smartMax = 28 * 28 * 1280
)

// smartResize returns the number of squares after both sides are rounded to multiples of patch.
func smartResize(w, h, patch int) int {
	f := float64(patch)
	round := func(n int) float64 { return math.RoundToEven(float64(n)/f) * f }
	rw, rh := round(w), round(h)
	if rw*rh > smartMax {
		beta := math.Sqrt(float64(w*h) / smartMax)
		rw, rh = max(f, math.Floor(float64(w)/beta/f)*f), max(f, math.Floor(float64(h)/beta/f)*f)
	} else if rw*rh < smartMin {
		beta := math.Sqrt(smartMin / float64(w*h))
		rw, rh = math.Ceil(float64(w)*beta/f)*f, math.Ceil(float64(h)*beta/f)*f
	}
	return int(rw/f) * int(rh/f)
}
