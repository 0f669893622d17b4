package preflight

import (
	"errors"
	"fmt"
	"image"
	_ "image/gif" // formats of images in training data
	_ "image/jpeg"
	_ "image/png"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"

	_ "golang.org/x/image/bmp" // more formats
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"airqa/internal/python"
	"airqa/train/format"
	"airqa/train/preflight/rows"
	"airqa/train/preflight/template"
)

// Sizes in pixels between which LLaMA-Factory brings images by default.
const (
	maxPixels = 768 * 768
	minPixels = 32 * 32
)

// expandMedia replaces the markers of images with their tokens.
func (k *Checker) expandMedia(d template.Dialog, row rows.Row) error {
	if err := k.checkMarkers(d, row); err != nil {
		return err
	}
	v := k.template.Vision
	switch {
	case v == nil || len(row.Images)+len(row.Videos)+len(row.Audios) == 0:
		return nil
	case len(row.Videos) > 0:
		return errVideo
	case v.Patch == 0:
		return rows.NotChecked("the number of tokens of an image, video or sound is not known for the template " + k.template.Name)
	}
	return k.insertImages(v, d.Messages, row.Images)
}

// checkMarkers refuses media that the template does not know, and more or fewer of a kind than the dialog has markers.
func (k *Checker) checkMarkers(d template.Dialog, row rows.Row) error {
	v := k.template.Vision
	for _, m := range []struct {
		name   string
		list   []python.Value
		marker string
	}{{"image", row.Images, "<image>"}, {"video", row.Videos, "<video>"}, {"audio", row.Audios, "<audio>"}} {
		if len(m.list) > 0 && (v == nil || m.name == "audio" && v.Patch > 0) {
			return fmt.Errorf("ValueError: This model does not support %s input. Please check whether the correct `template` is used", m.name)
		}
		markers := 0
		for _, turn := range d.Messages {
			markers += strings.Count(turn.Text, m.marker)
		}
		if v != nil && markers != len(m.list) {
			return fmt.Errorf("ValueError: The number of %ss does not match the number of %s tokens: %d and %d",
				m.name, m.marker, len(m.list), markers)
		}
	}
	return nil
}

const errVideo = rows.NotChecked("videos are not measured: their number of tokens depends on the frames")

func (k *Checker) insertImages(v *template.Vision, messages []template.Message, images []python.Value) error {
	tokens := make([]int, len(images))
	for i, im := range images {
		var err error
		if tokens[i], err = k.imageTokens(im, v); err != nil {
			return err
		}
	}
	next := 0
	for i, m := range messages {
		for strings.Contains(m.Text, "<image>") {
			m.Text = strings.Replace(m.Text, "<image>", v.Begin+strings.Repeat(v.Image, tokens[next])+v.End, 1)
			next++
		}
		messages[i] = m
	}
	return nil
}

// imageTokens returns the number of tokens of an image, a [format.Image] or a path.
func (k *Checker) imageTokens(v python.Value, vision *template.Vision) (int, error) {
	switch im := v.(type) {
	case format.Image:
		if im.Width > 0 {
			return k.c.patches(im.Width, im.Height, vision)
		}
		return k.fileTokens(im.Path, vision)
	case string:
		return k.fileTokens(im, vision)
	}
	return 0, fmt.Errorf("ValueError: Expect input is a list of images, but got %s", python.Type(v))
}

// mediaPath returns the path that the trainer opens: in the media folder if the file is there.
func (c Config) mediaPath(path string) string {
	joined := path
	if !filepath.IsAbs(path) {
		joined = filepath.Join(c.MediaDir, path)
	}
	if s, err := os.Stat(joined); err == nil && s.Mode().IsRegular() {
		return joined
	}
	return path
}

// sizes remembers the tokens of image files.
type sizes struct {
	mu    sync.Mutex
	known map[string]int
}

func (k *Checker) fileTokens(path string, v *template.Vision) (int, error) {
	path = k.c.mediaPath(path)
	k.images.mu.Lock()
	defer k.images.mu.Unlock()
	if n, ok := k.images.known[path]; ok {
		return n, nil
	}
	size, err := imageSize(path)
	if err != nil {
		return 0, err
	}
	n, err := k.c.patches(size.Width, size.Height, v)
	if err == nil {
		k.images.known[path] = n
	}
	return n, err
}

func imageSize(path string) (image.Config, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return image.Config{}, fmt.Errorf("FileNotFoundError: [Errno 2] No such file or directory: '%s'", path)
	} else if err != nil {
		return image.Config{}, err
	}
	defer func() { _ = f.Close() }()
	c, _, err := image.DecodeConfig(f)
	if err != nil {
		return c, fmt.Errorf("UnidentifiedImageError: cannot identify image file '%s'", path)
	}
	return c, nil
}

// patches follows the trainer's resizing and then the image processor of the model.
func (c Config) patches(w, h int, v *template.Vision) (int, error) {
	scale := func(to int) {
		f := math.Sqrt(float64(to) / float64(w*h))
		w, h = int(float64(w)*f), int(float64(h)*f)
	}
	if w*h > c.MaxPixels {
		scale(c.MaxPixels)
	}
	if w*h > 0 && w*h < c.MinPixels {
		scale(c.MinPixels)
	}
	if w <= 0 || h <= 0 {
		return 0, errors.New("ValueError: height and width must be > 0: the image is too narrow")
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
	return smartResize(w, h, v), nil
}

// smartResize returns the number of squares after both sides are rounded to multiples of a patch.
func smartResize(w, h int, v *template.Vision) int {
	f := float64(v.Patch)
	round := func(n int) float64 { return math.RoundToEven(float64(n)/f) * f }
	rw, rh := round(w), round(h)
	if least := float64(v.MinPixels); rw*rh < least {
		beta := math.Sqrt(least / float64(w*h))
		rw, rh = math.Ceil(float64(w)*beta/f)*f, math.Ceil(float64(h)*beta/f)*f
	}
	return int(rw/f) * int(rh/f)
}
