package viewer

// Templates are the templates of all pages.
var Templates = templates
