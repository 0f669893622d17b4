package enrich

// Torn returns the length in bytes of an unfinished last line that was cut off.
func (j *Journal) Torn() int { return len(j.replies.Tail()) }
