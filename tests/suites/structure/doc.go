// Package structure holds the project to its own budgets: sizes that keep it readable, and that no linter checks. What the
// numbers are for is in docs/contributor/architecture.md.
package structure
