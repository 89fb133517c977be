// Package clickhouse holds the kinds for Aiven for ClickHouse.
package clickhouse
