// Package metrics has the metrics of objects: how many are in which state and since when, how many fields of each differ
// from what Aiven has, and how fast a new object is picked up and Ready.
//
//	registry.go  what is collected at a scrape
//	objects.go   objects by phase and reason, from the cache
//	latency.go   pickup and time to Ready of new objects
//	drift.go     fields that differ and are left as they are
package metrics
