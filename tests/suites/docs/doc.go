// Package docs runs the commands of the documentation.
package docs
