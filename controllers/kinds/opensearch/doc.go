// Package opensearch holds the kinds for Aiven for OpenSearch.
package opensearch
