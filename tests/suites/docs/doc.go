// Package docs runs what the documentation tells people to type.
package docs
