package conformance_test

import (
	avnopensearch "github.com/aiven/go-client-codegen/handler/opensearch"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

const searchName = "my-opensearch"

var opensearchKinds = []kind{
	{
		name: "OpenSearch", example: "opensearch", phase: v1alpha1.PhaseRunning,
		resource: "service", path: "my-opensearch", create: "ServiceCreate", update: "ServiceUpdate",
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.OpenSearch).Spec.MaintenanceWindowTime = "04:30:00"
		},
		drift:    func(e *testenv.Env) { changeWindow(e, "my-opensearch") },
		repaired: func(e *testenv.Env) bool { return serviceAt(e, "my-opensearch").Maintenance.Time == "04:30:00" },
		remove: func(e *testenv.Env) error {
			return e.Aiven.Console.ServiceDelete(e.T.Context(), e.Project, "my-opensearch")
		},
		prefix: "OPENSEARCH_", keys: []string{"URI", "HOST", "PORT", "USER", "PASSWORD"},
		legacy: []string{"HOST", "PORT", "USER", "PASSWORD"},
	},
	{
		name: "OpenSearchACLConfig", example: "opensearchaclconfig", phase: v1alpha1.PhaseReady,
		resource: "opensearch_acl", path: searchName,
		create: "ServiceOpenSearchAclSet", update: "ServiceOpenSearchAclSet", in: inOpenSearch,
		change: func(_ *testenv.Env, obj testenv.Object) {
			obj.(*v1alpha1.OpenSearchACLConfig).Spec.Acls[0].Rules[0].Permission = "write"
		},
		drift: func(e *testenv.Env) { require.NoError(e.T, setSearchACL(e, true)) },
		repaired: func(e *testenv.Env) bool {
			found, err := e.Aiven.Console.ServiceOpenSearchAclGet(e.T.Context(), e.Project, searchName)
			require.NoError(e.T, err)
			return len(found.Acls) == 1 && found.Acls[0].Rules[0].Permission == avnopensearch.PermissionTypeWrite
		},
		remove: func(e *testenv.Env) error { return setSearchACL(e, false) },
	},
}

// setSearchACL replaces the access control list by an empty one.
func setSearchACL(e *testenv.Env, enabled bool) error {
	_, err := e.Aiven.Console.ServiceOpenSearchAclSet(e.T.Context(), e.Project, searchName,
		&avnopensearch.ServiceOpenSearchAclSetIn{
			OpensearchAclConfig: avnopensearch.OpensearchAclConfigIn{Enabled: enabled, Acls: []avnopensearch.AclIn{}},
		})
	return err
}
