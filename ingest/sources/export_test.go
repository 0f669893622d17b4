package sources

// Len returns the number of files.
func (r *Records) Len() int { return len(r.paths) }
