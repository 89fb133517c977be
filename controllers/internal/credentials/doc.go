// Package credentials reads the Aiven token of an object: the Secret that its spec.authSecretRef names, else the
// default token of the operator.
//
// A Token can't be printed by accident: it is printed, logged and marshaled as a placeholder.
package credentials
