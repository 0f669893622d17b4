package mineru

// Papers returns the number of papers that have an output.
func (f *Folder) Papers() int { return len(f.found) }
