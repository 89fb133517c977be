package schema_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// rotation has a spec in YAML, beside what each needs.
func rotation(t *testing.T, spec string) map[string]any {
	t.Helper()
	fields := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(spec), &fields))
	all := map[string]any{
		"userRefs": []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}}, "rotationInterval": "720h", "presets": []any{"Libpq"},
	}
	maps.Copy(all, fields)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	return runtime.DeepCopyJSON(map[string]any{
		"apiVersion": "aero-operator.io/v1alpha1", "kind": "ServiceUserRotation", "metadata": map[string]any{"name": "orders"}, "spec": all,
	})
}

func TestAServiceUserRotationIsAdmitted(t *testing.T) {
	for name, spec := range map[string]string{
		"with a preset":               `{}`,
		"with the shortest time":      `rotationInterval: 1h`,
		"with a time in parts":        `rotationInterval: 1h30m`,
		"with the minutes of an hour": `rotationInterval: 60m`,
		"with a template":             `{presets: null, data: {DATABASE_URL: '{{ .URI }}'}}`,
		"with all that it may have":   `{database: orders, endpoint: {route: public}, fallbackRoute: dynamic, target: {name: app, labels: {a: b}}}`,
	} {
		t.Run(name, func(t *testing.T) { assert.Empty(t, admit(t, rotation(t, spec), nil)) })
	}
}

func TestAServiceUserRotationThatCannotBeIsRefusedAtAdmission(t *testing.T) {
	for name, tc := range map[string]struct{ spec, says string }{
		"without keys":           {`presets: null`, "set presets or data"},
		"without a time":         {`rotationInterval: null`, "spec.rotationInterval"},
		"of a time that is none": {`rotationInterval: monthly`, "spec.rotationInterval in body should match"},
		"of days":                {`rotationInterval: 30d`, "spec.rotationInterval in body should match"},
		"of less than an hour":   {`rotationInterval: 59m`, "must be at least 1h"},
		"of one user":            {`userRefs: [{name: a}]`, "spec.userRefs in body should have at least 2 items"},
		"of three users":         {`userRefs: [{name: a}, {name: b}, {name: c}]`, "must have at most 2 items"},
		"of the same user twice": {`userRefs: [{name: a}, {name: a}]`, "name two different ServiceUsers"},
		"of a user without name": {`userRefs: [{name: a}, {name: ""}]`, "spec.userRefs[1].name"},
		"back from nowhere":      {`fallbackRoute: public`, "fallbackRoute needs endpoint.route"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.ErrorContains(t, refusal(admit(t, rotation(t, tc.spec), nil)), tc.says)
		})
	}
}

func TestTheTargetOfAServiceUserRotationIsImmutable(t *testing.T) {
	assert.Contains(t, admit(t, rotation(t, `target: {name: b}`), rotation(t, `target: {name: a}`)), "field is immutable")
	assert.Empty(t, admit(t, rotation(t, `{userRefs: [{name: c}, {name: d}], rotationInterval: 2h}`), rotation(t, `{}`)), "the rest may change")
}
