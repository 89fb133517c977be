// Package account holds the kinds that live in no service: projects and what belongs to them.
package account
