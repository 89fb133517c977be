package main

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// rule is a rule of a role, as far as it matters here.
type rule struct {
	APIGroups []string `yaml:"apiGroups"`
	Resources []string
	Verbs     []string
}

// neededOf is what the operator does to every kind of a group that it serves. Those of its own have no finalizer, and are read from the
// cache alone.
func neededOf(group string) map[string][]string {
	verbs := []string{"get", "list", "watch", "patch"}
	if group == ownGroup {
		verbs = []string{"list", "watch"}
	}
	return map[string][]string{"": verbs, "/status": {"patch"}}
}

// ownership is what a cluster with the admission plugin OwnerReferencesPermissionEnforcement asks of whom makes a Secret
// whose owner can't go before it.
const ownership = "/finalizers"

// checkRole returns an error if the role forbids what a kind needs, or allows what it doesn't. A missing permission
// is found here, and not in a cluster.
func checkRole(role []byte, crds []crd) error {
	var read struct{ Rules []rule }
	if err := yaml.Unmarshal(role, &read); err != nil {
		return fmt.Errorf("reading the role: %w", err)
	}
	for _, crd := range crds {
		for subresource, verbs := range neededOf(crd.group) {
			for _, verb := range verbs {
				if !allows(read.Rules, crd.group, crd.plural+subresource, verb) {
					return fmt.Errorf("the role doesn't allow to %s %s: add the kubebuilder:rbac markers to the file of this kind",
						verb, crd.plural+subresource)
				}
			}
		}
		if owns := allows(read.Rules, crd.group, crd.plural+ownership, "update"); owns != crd.owns {
			return ownershipError(crd)
		}
	}
	return nil
}

func ownershipError(c crd) error {
	resource := c.plural + ownership
	if c.owns {
		return fmt.Errorf("the role doesn't allow to update %s, though the kind publishes a Secret: "+
			"add the kubebuilder:rbac marker to the file of this kind", resource)
	}
	return fmt.Errorf("the role allows to update %s, though the kind publishes no Secret: "+
		"remove the kubebuilder:rbac marker from the file of this kind", resource)
}

func allows(rules []rule, group, resource, verb string) bool {
	return slices.ContainsFunc(rules, func(r rule) bool {
		return slices.Contains(r.APIGroups, group) && slices.Contains(r.Resources, resource) && slices.Contains(r.Verbs, verb)
	})
}
