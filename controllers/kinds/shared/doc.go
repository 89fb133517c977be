// Package shared holds the kinds that live in services of several products: users and databases.
package shared
