package runlog

// KeepTexts stores texts under texts/ by hash, once each: the tools that run.json names by hash, so that the run
// directory alone shows what a model was offered.
func (w *Writer) KeepTexts(texts map[string]string) error {
	for _, text := range texts {
		if _, err := w.blobs.text(text); err != nil {
			return err
		}
	}
	return nil
}
