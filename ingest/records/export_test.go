package records

// Len returns the number of files.
func (f *Folder) Len() int { return len(f.paths) }
