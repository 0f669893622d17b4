package judge

// Len returns the number of verdicts.
func (s *Store) Len() int { return s.verdicts.Len() }
