// Package view reads objects as their users do: without the Go type of a kind, from the fields that kinds share. What users ask for by
// annotations is here, too. kubectl aero is built on it.
package view
