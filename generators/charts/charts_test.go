package main

import (
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const database = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.0.0
  name: databases.aiven.io
spec:
  group: aiven.io
  names:
    plural: databases
  versions:
  - schema:
      openAPIV3Schema:
        description: '{{ .Name }} is replaced in {"a":{}}'
`

const databaseRole = `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: manager-role
rules:
- apiGroups: [aiven.io]
  resources: [databases]
  verbs: [get, list, patch, watch]
- apiGroups: [aiven.io]
  resources: [databases/status]
  verbs: [patch]
`

// render is what Helm does to a template, with the functions that the templates here call.
func render(t *testing.T, text string) string {
	t.Helper()
	functions := template.FuncMap{
		"include": func(name string, _ any) string { return "the-" + strings.TrimPrefix(name, "aero.") },
		"nindent": func(int, string) string { return "\n    a: b" },
	}
	parsed, err := template.New("").Funcs(functions).Parse(text)
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, parsed.Execute(&out, nil))
	return out.String()
}

func TestEscapedTextRendersToItself(t *testing.T) {
	for name, text := range map[string]string{
		"nothing to escape":                       "a: b\n",
		"an action stays text":                    `use {{ .Values.x }} here`,
		"actions that trim don't trim":            "a {{- b -}} c",
		"three and four opening braces":           "{{{ {{{{ a",
		"closing braces":                          "a }} }}} }}}}",
		"an empty JSON object in another one":     `{"a":{}}`,
		"an opening brace before closing ones":    "{}} {{}} {{{}}}",
		"a comment and a string stay what it was": "{{/* a */}} {{ `a` }} {{ \"{{\" }}",
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, text, render(t, escape(text))) })
	}
}

func TestCRDIsKeptOnUninstallAndOtherwiseTheSame(t *testing.T) {
	got, err := newCRD("aiven.io_databases.yaml", database)
	require.NoError(t, err)
	assert.Equal(t, "aiven.io", got.group)
	assert.Equal(t, "databases", got.plural)

	var before, after map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(database), &before))
	require.NoError(t, yaml.Unmarshal([]byte(render(t, got.template)), &after))
	annotations := before["metadata"].(map[string]any)["annotations"].(map[string]any)
	annotations["helm.sh/resource-policy"] = "keep"
	assert.Equal(t, before, after)
}

func TestCRDThatCanNotBeKeptIsRefused(t *testing.T) {
	for name, source := range map[string]string{
		"without annotations":       strings.Replace(database, "  annotations:\n    controller-gen.kubebuilder.io/version: v0.0.0\n", "", 1),
		"two documents in one file": database + database,
		"another kind":              strings.Replace(database, "CustomResourceDefinition", "ConfigMap", 1),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newCRD("aiven.io_databases.yaml", source)
			assert.ErrorContains(t, err, "aiven.io_databases.yaml")
		})
	}
}

func TestRulesOfTheChartAreThoseOfTheRole(t *testing.T) {
	kind, err := newCRD("aiven.io_databases.yaml", database)
	require.NoError(t, err)
	got, err := rulesTemplate(databaseRole, []crd{kind})
	require.NoError(t, err)
	var before map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(databaseRole), &before))
	var rules, kinds any
	require.NoError(t, yaml.Unmarshal([]byte(render(t, got+`{{ template "aero.rules" }}`)), &rules))
	require.NoError(t, yaml.Unmarshal([]byte(render(t, got+`{{ template "aero.kinds" }}`)), &kinds))
	assert.Equal(t, before["rules"], rules)
	assert.Equal(t, []any{"databases"}, kinds)

	_, err = rulesTemplate(databaseRole+databaseRole, nil)
	assert.ErrorContains(t, err, "not a single one")
}

func TestRoleMustAllowWhatEveryKindNeeds(t *testing.T) {
	kind, err := newCRD("aiven.io_databases.yaml", database)
	require.NoError(t, err)
	require.NoError(t, checkRole([]byte(databaseRole), []crd{kind}))

	for missing, replacement := range map[string]string{
		"watch databases":        "[get, list, patch]",
		"patch databases":        "[get, list, watch]",
		"patch databases/status": "",
	} {
		t.Run("not without "+missing, func(t *testing.T) {
			role := strings.Replace(databaseRole, "[get, list, patch, watch]", replacement, 1)
			if replacement == "" {
				_, resource, _ := strings.Cut(missing, " ")
				role = strings.Replace(databaseRole, resource, "others", 1)
			}
			assert.ErrorContains(t, checkRole([]byte(role), []crd{kind}), missing)
		})
	}
}

func TestOnlyOwnersOfSecretsMayUpdateTheirFinalizers(t *testing.T) {
	const allowed = databaseRole + "- apiGroups: [aiven.io]\n  resources: [databases/finalizers]\n  verbs: [update]\n"
	quiet, err := newCRD("aiven.io_databases.yaml", database)
	require.NoError(t, err)
	owner, err := newCRD("aiven.io_databases.yaml", database+"        spec:\n          properties:\n"+secretTarget)
	require.NoError(t, err)

	require.NoError(t, checkRole([]byte(allowed), []crd{owner}))
	assert.ErrorContains(t, checkRole([]byte(databaseRole), []crd{owner}), "doesn't allow to update databases/finalizers")
	assert.ErrorContains(t, checkRole([]byte(allowed), []crd{quiet}), "remove the kubebuilder:rbac marker")
}

func TestPoliciesBelongToTheirRelease(t *testing.T) {
	const policies = `kind: ValidatingAdmissionPolicy
metadata:
  name: annotations
---
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: annotations
spec:
  policyName: annotations
`
	rendered := render(t, strings.NewReplacer("{{- if and .Values.rbac.clusterScope .Values.admissionPolicies.enabled }}", "", "{{- end }}", "").
		Replace(policiesTemplate(policies, "enabled")))
	assert.Equal(t, 2, strings.Count(rendered, "\n  name: the-clusterName-annotations"))
	assert.Equal(t, 1, strings.Count(rendered, "policyName: the-clusterName-annotations"))
	assert.Equal(t, 2, strings.Count(rendered, "\n  labels:\n"))
}

func TestThePolicyThatKeepsTheCRDsStaysWithThem(t *testing.T) {
	const policy = `kind: ValidatingAdmissionPolicy
metadata:
  name: keep
---
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: keep
spec:
  policyName: keep
  validationActions: [Deny]
`
	for allow, action := range map[bool]string{false: "Deny", true: "Warn"} {
		parsed, err := template.New("").Parse(guardTemplate(policy))
		require.NoError(t, err)
		var out strings.Builder
		require.NoError(t, parsed.Execute(&out, map[string]any{"Values": map[string]any{"allowDeletion": allow}}))
		assert.Equal(t, 2, strings.Count(out.String(), "metadata:\n  annotations:\n    helm.sh/resource-policy: keep\n  name: keep\n"))
		assert.Contains(t, out.String(), "validationActions: ["+action+"]\n")
	}
}
