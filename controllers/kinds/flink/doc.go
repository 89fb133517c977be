// Package flink holds the kinds for Aiven for Apache Flink.
package flink
