// Package controlplane runs a real Kubernetes control plane for tests and the demo:
// etcd, kube-apiserver with RBAC, and kube-controller-manager, on loopback.
// There are no nodes, so pods never run; everything else is as in a cluster:
// owned objects are garbage collected, namespaces finish deleting, service
// accounts get tokens.
//
// Two delays are built into kube-controller-manager: a deleted namespace is
// emptied after 5 s, and a kind added after the start takes up to 30 s until
// the garbage collector knows it. CRDs given to Start are known from the start.
//
// The programs come from `make build`, or from KUBEBUILDER_ASSETS.
package controlplane
