// Package v1alpha1 holds the Go types of the kinds in the group aero-operator.io/v1alpha1: those that aiven-operator doesn't have.
//
// The group is the operator's own, so that the kinds of aiven.io stay as aiven-operator has them. One file a kind, `<kind>_types.go`:
// types and markers only.
//
// +kubebuilder:object:generate=true
// +groupName=aero-operator.io
package v1alpha1
