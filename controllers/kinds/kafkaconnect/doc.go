// Package kafkaconnect holds the kinds for Aiven for Apache Kafka Connect.
package kafkaconnect
