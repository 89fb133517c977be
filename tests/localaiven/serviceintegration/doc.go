// Package serviceintegration holds what Aiven shows of service integrations and their endpoints, how an integration changes
// with time, and what the types of integrations connect.
package serviceintegration
