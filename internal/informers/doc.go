// Package informers has all event handlers of an informer share one listener, and keeps the indexes small.
//
// An informer of client-go keeps two goroutines and a buffer of 16 KiB for each handler. Thirty kinds that depend on each other add
// more than six hundred, most of which pass an event on in microseconds: as listeners they take more memory than all else in an
// operator at rest.
//
// An index of controller-runtime has two keys for each value of an object: one finds it in its namespace, the other in all. With a
// handful of indexes and ten thousand objects that was a tenth of what the operator keeps, and no list needs both.
//
//	cache.go     a cache that returns the informers, and indexes them
//	informer.go  an informer that passes events on
//	watch.go     watches that end when they are stopped
package informers
