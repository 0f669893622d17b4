package embed

// Len returns the number of vectors.
func (c *Cache) Len() (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.load()
	return len(c.at), err
}
