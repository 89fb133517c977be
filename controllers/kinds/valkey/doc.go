// Package valkey holds the kinds for Aiven for Valkey.
package valkey
