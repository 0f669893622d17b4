package runlog

// KeepTexts stores texts under texts/ by their hashes, each once: the tools that run.json names by hash, so that what a model
// was offered can be read from the run directory alone.
func (w *Writer) KeepTexts(texts map[string]string) error {
	for _, text := range texts {
		if _, err := w.blobs.text(text); err != nil {
			return err
		}
	}
	return nil
}
