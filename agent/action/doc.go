// Package action is the grammar of actions: it finds the one call in a reply ([Grammar.Read]), binds its
// arguments to the parameters of a tool ([Spec]), makes calls of the program's own ([Make]) and describes tools to the model
// ([Describe]). Arguments are Python literals; nothing a model wrote is ever evaluated.
package action
