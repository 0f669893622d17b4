package web

// Templates are the templates of all pages.
var Templates = templates
