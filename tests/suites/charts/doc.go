// Package charts tests the Helm charts on a real API server: what they render, what values they refuse, and that the
// operator gets along with the permissions that they give it, no more and no less.
package charts
