package aiven

// Template is template, for its table of paths.
var Template = template
