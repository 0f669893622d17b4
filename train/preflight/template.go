package preflight

import (
	"bufio"
	_ "embed"
	"fmt"
	"math"
	"strings"
	"sync"
)

// templatesText is the table of chat templates. Its head explains the columns.
//
//go:embed templates.txt
var templatesText string

type template struct {
	name                        string
	start, user, result, answer int
	tools, tool                 int
	indented                    bool
	call, argument              int
	// images reports whether the template takes images. Their tokens are not known if patch is 0.
	images           bool
	patch, minPixels int
	// words are special tokens.
	words []string
}

// templates is the table. A mistake in the embedded file is a broken promise of this package.
var templates = sync.OnceValue(func() (list []template) {
	for lines := bufio.NewScanner(strings.NewReader(templatesText)); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var t template
		var as, image string
		_, err := fmt.Sscan(lines.Text(), &t.name, &t.start, &t.user, &t.result, &t.answer, &t.tools, &t.tool, &as, &t.call, &t.argument, &image)
		if err != nil {
			panic(fmt.Sprintf("templates.txt: %q: %v", lines.Text(), err))
		}
		t.indented, t.images = as == "indented", image != "-"
		_, _ = fmt.Sscanf(image, "%d:%d", &t.patch, &t.minPixels)
		const columns = 11 // before the words
		t.words = strings.Fields(lines.Text())[columns:]
		list = append(list, t)
	}
	return list
})

// findTemplate returns a template by name. The error lists the known names.
func findTemplate(name string) (t template, err error) {
	var names []string
	for _, t := range templates() {
		if t.name == name {
			return t, nil
		}
		names = append(names, t.name)
	}
	return t, fmt.Errorf("unknown template %q; known: %s", name, strings.Join(names, ", "))
}

// Sizes in pixels between which LLaMA-Factory brings images.
const (
	maxPixels = 768 * 768
	minPixels = 32 * 32
)

// imageTokens is an upper bound of the tokens of an image with its marks; without a size, of the largest one.
func (t template) imageTokens(width, height int) (int, error) {
	switch {
	case !t.images:
		return 0, fmt.Errorf("the template %s takes no images", t.name)
	case t.patch == 0:
		return 0, fmt.Errorf("not checked: the number of tokens of an image is not known for the template %s", t.name)
	case width <= 0 || height <= 0:
		width, height = 768, 768
	}
	area, scale := width*height, 1.0
	if least := max(minPixels, t.minPixels); area > maxPixels {
		scale = math.Sqrt(maxPixels / float64(area))
	} else if area < least {
		scale = math.Sqrt(float64(least) / float64(area))
	}
	side := func(n int) int { return int(math.Ceil(float64(n) * scale / float64(t.patch))) }
	const marks = 2
	return side(width)*side(height) + marks, nil
}
