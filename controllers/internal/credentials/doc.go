// Package credentials finds the Aiven token for an object: the Secret that its spec.authSecretRef names, else the
// default token of the operator.
//
// A Token can't be printed by accident: whatever prints, logs or marshals it gets a placeholder.
package credentials
