// Package kstatus asks the library that Flux and others use for what they see in the statuses of aero.
package kstatus
