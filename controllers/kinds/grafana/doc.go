// Package grafana holds the kinds for Aiven for Grafana.
package grafana
