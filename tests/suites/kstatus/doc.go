// Package kstatus asks the libraries of Flux and Argo CD what they see in the statuses of aero.
package kstatus
