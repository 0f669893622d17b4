package llm

// Overflow tells whether the call failed because the conversation is too long for the model. The agent asks by this
// method, since it knows no provider.
func (e *CallError) Overflow() bool { return Class(e.Err) == ClassContextOverflow }

// NoImages reports whether the call failed because the model or its server takes no images.
func (e *CallError) NoImages() bool { return Class(e.Err) == ClassImages }
