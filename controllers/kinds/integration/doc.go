// Package integration holds the kinds for service integrations and for what they connect outside of Aiven.
package integration
