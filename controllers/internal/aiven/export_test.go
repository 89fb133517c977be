package aiven

// Template is template, for its table of paths.
var Template = template

// MaxTurns is maxTurns, which a test fills.
const MaxTurns = maxTurns
