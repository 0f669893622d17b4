package enrich

import (
	"fmt"
	"slices"
	"strings"
)

// Field is a kind of cell that can be filled.
type Field string

// The fields, in the order in which they are processed.
const (
	TLDR     Field = "tldr"
	Tags     Field = "tags"
	Pages    Field = "pages"
	Sections Field = "sections"
	Images   Field = "images"
	Tables   Field = "tables"
)

// Fields lists all fields.
func Fields() []Field { return []Field{TLDR, Tags, Pages, Sections, Images, Tables} }

// ParseFields parses field names and removes duplicates.
func ParseFields(names []string) ([]Field, error) {
	var list []Field
	for _, name := range names {
		f := Field(strings.ToLower(strings.TrimSpace(name)))
		if !slices.Contains(Fields(), f) {
			var all []string
			for _, f := range Fields() {
				all = append(all, string(f))
			}
			return nil, fmt.Errorf("unknown field %q; the fields are %s", name, strings.Join(all, ", "))
		}
		if !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	return list, nil
}
