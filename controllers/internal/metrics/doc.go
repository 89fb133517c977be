// Package metrics has the metrics of custom resources: how many objects are in which state and since when, how many fields
// of each drift, and how fast a new object is picked up and Ready.
//
//	registry.go  the collectors of a scrape, and their metrics
//	objects.go   objects by state, and drift, counted from the cache at each scrape
//	notices.go   times at which what Aiven announces of each object comes, and until which credentials are valid
//	latency.go   time to the first reconcile and to Ready of new objects
//	recreated.go resources that are created again
//
// All but the last are collected from the cache and from watch events. A recreation is a moment: no later state of an object shows
// it, so the engine counts it.
package metrics
