package sources

// Len returns the number of files.
func (f *Records) Len() int { return len(f.paths) }
