// Package informers has all event handlers of an informer share one listener.
//
// An informer of client-go keeps two goroutines and a buffer of 16 KiB for each handler. Thirty kinds that depend on each other add
// more than six hundred, most of which pass an event on in microseconds: as listeners they take more memory than all else in an
// operator at rest.
//
//	cache.go     a cache that returns the informers
//	informer.go  an informer that passes events on
package informers
