// Package action is the grammar of actions: it finds the call in a reply ([Grammar.Read]), binds its arguments to the
// parameters of a tool ([Spec]), makes calls on behalf of the program ([Make]) and describes tools to the model
// ([Describe]). Arguments are Python literals; text from a model is never evaluated.
package action
