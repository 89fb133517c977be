// Package serviceintegration holds service integrations and their endpoints: what requests about them may ask for, what
// they are refused with, how an integration changes with time, what the types of integrations connect, and how Aiven shows
// all of this. It knows projects and services by the interfaces Project and Service.
package serviceintegration
