// Package v1alpha1 holds the Go types of the kinds in the group aiven.io/v1alpha1: types and markers only.
//
// One file a kind, `<kind>_types.go`; the field groups that kinds share are in common_types.go, the part of the status
// that every kind has in status_types.go. The option trees under userconfig/ are generated from Aiven's published
// schemas.
//
// The wire format is fixed: users of aiven-operator apply the manifests that they have today.
//
// +kubebuilder:object:generate=true
// +groupName=aiven.io
package v1alpha1
