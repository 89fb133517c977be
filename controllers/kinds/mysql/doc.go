// Package mysql holds the kinds for Aiven for MySQL.
package mysql
