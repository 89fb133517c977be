package v1alpha1_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// identifier matches the last part of the names of fields that name something at Aiven, which calls may have in their paths.
var identifier = regexp.MustCompile(`(?i)(name|id|project|subject|topic|user|role|parent|plan)$`)

// notInPaths are identifiers that no call has in its path, by where they are instead.
var notInPaths = map[string][]string{
	"a body": {
		"ClickhouseUser.spec.username", // its UUID is in paths
		"ConnectionPool.spec.databaseName", "ConnectionPool.spec.username",
		"KafkaACL.spec.topic", "KafkaACL.spec.username", "KafkaNativeACL.spec.resourceName", "KafkaSchemaRegistryACL.spec.username",
		"KafkaSchema.spec.references[].name", "OpenSearchACLConfig.spec.acls[].username",
		"OrganizationProject.spec.billingGroupId", "ServiceIntegrationEndpoint.spec.endpointName",
		"Project.spec.accountId", "Project.spec.billingGroupId", "Project.spec.cardId", "Project.spec.copyFromProject",
		"ServiceIntegration.spec.sourceEndpointID", "ServiceIntegration.spec.destinationEndpointId",
		"ProjectVPC.spec.cloudName", "*.spec.projectVpcId",
	},
	"a query": {"KafkaQuota.spec.user", "KafkaQuota.spec.clientId"},
	"a statement of ClickHouse": {
		"ClickhouseRole.spec.role", "ClickhouseGrant.spec.privilegeGrants[].grantees[].role", "ClickhouseGrant.spec.privilegeGrants[].grantees[].user",
		"ClickhouseGrant.spec.roleGrants[].grantees[].role", "ClickhouseGrant.spec.roleGrants[].grantees[].user",
	},
	"Kubernetes": {"*Ref.name", "*SecretSource.name", "*SecretTarget.name"},
}

func TestANameInAPathCantBeEmptyOrADotSegment(t *testing.T) {
	exempt := slices.Concat(notInPaths["a body"], notInPaths["a query"], notInPaths["a statement of ClickHouse"], notInPaths["Kubernetes"])
	used := map[string]bool{}
	for kind, ours := range loadDefinitions(t) {
		for path, field := range stringsIn(kind, "spec", asMap(ours.properties()["spec"])) {
			if !identifier.MatchString(path) {
				continue
			}
			at := slices.IndexFunc(exempt, func(e string) bool {
				return e == kind+"."+path || strings.HasPrefix(e, "*") && strings.HasSuffix(kind+"."+path, e[1:])
			})
			if at >= 0 {
				used[exempt[at]] = true
				continue
			}
			assert.Truef(t, excludesDots(field), "%s.%s: add a pattern or the rule self != '.' && self != '..', or list it in notInPaths", kind, path)
		}
	}
	for _, e := range exempt {
		assert.True(t, used[e], "%s is no identifier, or doesn't exist", e)
	}
}

// excludesDots reports whether a field can be neither . nor .., by its pattern or by a rule, nor empty if it is required.
func excludesDots(field map[string]any) bool {
	if pattern, ok := field["pattern"].(string); ok {
		return !slices.ContainsFunc([]string{"", ".", ".."}, regexp.MustCompile(pattern).MatchString)
	}
	if field["required"] == true && field["minLength"] == nil {
		return false
	}
	return slices.ContainsFunc(asList(field["x-kubernetes-validations"]), func(rule any) bool {
		return asMap(rule)["rule"] == "self != '.' && self != '..'"
	})
}

// stringsIn are the fields with texts of free choice, without those of options, by their paths.
func stringsIn(kind, path string, schema map[string]any) map[string]map[string]any {
	if isGenerated(kind, path) || schema["enum"] != nil {
		return nil
	}
	if schema["type"] == "string" {
		return map[string]map[string]any{path: schema}
	}
	all := map[string]map[string]any{}
	add := func(path string, schema any) {
		for at, field := range stringsIn(kind, path, asMap(schema)) {
			all[at] = field
		}
	}
	if items := schema["items"]; items != nil {
		add(path+"[]", items)
	}
	for name, property := range asMap(schema["properties"]) {
		field := maps.Clone(asMap(property))
		if field["type"] == "string" {
			field["required"] = slices.Contains(asList(schema["required"]), any(name))
		}
		add(path+"."+name, field)
	}
	return all
}
