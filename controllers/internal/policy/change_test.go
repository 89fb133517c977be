package policy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

func TestAPolicyForChangesIsThatOfTheObjectThenOfTheNamespaceThenOfTheFlag(t *testing.T) {
	for name, tc := range map[string]struct {
		object, namespace map[string]string
		flag, want        string
	}{
		"nothing is set":        {nil, nil, "", policy.Auto},
		"the flag":              {nil, nil, policy.HoldAll, policy.HoldAll},
		"the Namespace":         {nil, changes(policy.HoldDisruptive), policy.HoldAll, policy.HoldDisruptive},
		"the object":            {changes(policy.Auto), changes(policy.HoldAll), policy.HoldAll, policy.Auto},
		"the object holds more": {changes(policy.HoldAll), changes(policy.Auto), policy.Auto, policy.HoldAll},
		"a typo holds all":      {changes("holdDisruptive"), nil, policy.Auto, policy.HoldAll},
	} {
		t.Run(name, func(t *testing.T) {
			obj := &v1alpha1.ServiceUser{}
			obj.Annotations = tc.object
			assert.Equal(t, tc.want, policy.ChangeOf(obj, policy.Defaults{Change: tc.flag}.In(tc.namespace)))
		})
	}
}

func changes(value string) map[string]string {
	return map[string]string{annotation.ChangePolicy: value}
}
