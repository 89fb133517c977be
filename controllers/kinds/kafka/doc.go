// Package kafka holds the kinds of Aiven for Apache Kafka.
package kafka
