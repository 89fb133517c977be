package main

import (
	"fmt"
	"strings"
)

// left is what the author has to do, in the order in which the tests ask for it.
func (k *kind) left() []string {
	name, decisions := k.Names.Kind, "HoldsData and IsRule, "
	if k.in == inService {
		decisions = ""
	}
	out := []string{
		fmt.Sprintf("api/v1alpha1/%s_types.go: descriptions in place of %q, and the priority 1 for columns of a table that is too wide",
			k.Names.Singular, undescribed),
		k.file() + ": the type of the resource, the identity, " + decisions + "and the functions that are not implemented",
		"docs/examples/" + k.Names.Singular + ".yaml: values that Aiven accepts",
	}
	for _, r := range k.Spec.Rules {
		if !strings.Contains(r.Rule, "oldSelf") {
			out = append(out, fmt.Sprintf("docs/examples/%s.yaml has to satisfy %q: %s", k.Names.Singular, r.Rule, r.Message))
		}
	}
	return append(out,
		"controllers/kinds/kinds_test.go: whether the resources hold data",
		"controllers/kinds/secrets_test.go: what Aiven answers in publishing, if the kind publishes a Secret",
		"api/aero/v1alpha1/connectionsecret_types.go: the kind in the enum of spec.sourceRef.kind, if it publishes a Secret",
		k.caseFile()+": the entry of "+name,
		"tests/bench/kinds_test.go: the reason in unmeasured, or an entry in allKinds of kinds.go instead",
		"tests/suites/charts/changes_test.go: two edits in changes, or the reason in unchanged instead",
		"tests/suites/charts/testdata: go test ./suites/charts -run Renders -update in tests, and read the new rules",
		"tests/suites/ha/leader_test.go: some objects of the kind in crowd",
		"README.md, docs/README.md, docs/user/migrate.md: the kind in the list of kinds",
		"generators/pages/facts.go: what is compared, what deleting does, and the conditions; docs/user/connection-secrets.md: the keys of a Secret",
		"generators/pages/printed: go test ./suites/docs -run AllExamples -update in tests, and make generate",
		"docs/user/status.md: the short name, and where the kind is special",
	)
}
