package main

import (
	"fmt"
	"strings"
)

// left is what the author has to do, in the order in which the tests ask for it.
func (k *kind) left() []string {
	name, decisions := k.Names.Kind, "HoldsData and IsRule, "
	if k.in == inService {
		decisions = "what powering off loses (NoBackups, OffLosesData, BackupsOff), which no test knows, "
	}
	out := []string{
		fmt.Sprintf("api/v1alpha1/%s_types.go: descriptions in place of %q, and the priority 1 for columns of a table that is too wide",
			k.Names.Singular, undescribed),
		"api/v1alpha1/paths_test.go: a pattern or a rule for names that calls have in their paths, and the other names in notInPaths",
		k.file() + ": the type of the resource, the identity, " + decisions + "and the functions that are not implemented",
		"docs/examples/" + k.Names.Singular + ".yaml: values that Aiven accepts",
	}
	for _, r := range k.Spec.Rules {
		if !strings.Contains(r.Rule, "oldSelf") {
			out = append(out, fmt.Sprintf("docs/examples/%s.yaml has to satisfy %q: %s", k.Names.Singular, r.Rule, r.Message))
		}
	}
	out = append(out,
		k.caseFile()+": the entry of "+name,
		"tests/localaiven: routes that are answered with 501",
		"docs/user/scale.md: the row with what the kind costs, which its case prints",
	)
	return append(append(out, k.decided()...), leftOfAll...)
}

// decided is what follows from the decisions in the Definition, for kinds that may have them.
func (k *kind) decided() (out []string) {
	if k.isService() {
		return []string{"monitoring/alerts.yaml: the kind in both expressions of AeroRecreated"}
	}
	return []string{
		"monitoring/alerts.yaml: the kind in both expressions of AeroRecreated, if its resources hold data",
		"tests/suites/conformance/rules_test.go: others of its like in neighbours, and docs/user/policies.md: the kind in the list, if it has IsRule",
	}
}

// leftOfAll is the same for all kinds.
var leftOfAll = []string{
	"controllers/kinds/kinds_test.go: whether the resources hold data",
	"controllers/kinds/secrets_test.go: what Aiven answers in publishing, if the kind publishes a Secret",
	"api/aero/v1alpha1/connectionsecret_types.go: the kind in the enum of spec.sourceRef.kind, if it publishes a Secret",
	"controllers/internal/impact: a row for what a change of each field does, or the field in harmless",
	"controllers/export: an exporter, without which kubectl aero export never writes the kind, and an entry in states of states_test.go",
	"cmd/kubectl-aero/internal/tree: go test ./cmd/kubectl-aero/internal/tree -update, and read the new trees",
	"tests/bench/kinds_test.go: the reason in unmeasured, or an entry in allKinds of kinds.go instead",
	"tests/suites/charts/changes_test.go: two edits in changes, or the reason in unchanged instead",
	"tests/suites/charts/testdata: go test ./suites/charts -run Renders -update in tests, and read the new rules",
	"tests/suites/ha/leader_test.go: some objects of the kind in crowd",
	"tests/suites/isolation/needed_test.go: the kind in needed or unneeded, if other examples have the name of its example",
	"CHANGELOG.md: what a user should know besides the name",
	"README.md, docs/README.md, docs/user/migrate.md: the kind in the list of kinds",
	"generators/pages/facts.go: what is compared, what deleting does, and the conditions; docs/user/connection-secrets.md: the keys of a Secret",
	"generators/pages/printed: go test ./suites/docs -run AllExamples -update in tests, and make generate",
	"docs/user/status.md: the short name, and where the kind is special",
}
