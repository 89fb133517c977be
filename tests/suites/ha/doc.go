// Package ha tests what becomes of objects, and of what they represent at Aiven, when the operator's pods come and go.
package ha
