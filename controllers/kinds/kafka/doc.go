// Package kafka holds the kinds for Aiven for Apache Kafka.
package kafka
