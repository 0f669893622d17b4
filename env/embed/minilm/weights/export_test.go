package weights

// Names lists the tensors in the order of their data.
func (f *File) Names() []string { return byOffset(f.header) }

// Shape returns the dtype as spelled in the file and the shape of a tensor, and reports whether there is one.
func (f *File) Shape(name string) (dtype string, shape []int, ok bool) {
	e, ok := f.header[name]
	return e.Dtype, e.Shape, ok
}
