package view

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatIsWithinAnotherResource(t *testing.T) {
	const pg = "{kind: PostgreSQL, metadata: {name: pg}, spec: {project: p, plan: startup-4}}"
	for name, tc := range map[string]struct {
		object, other string
		want          bool
	}{
		"an entry of a service":            {"{spec: {project: p, serviceName: pg}}", pg, true},
		"that of another project":          {"{spec: {project: q, serviceName: pg}}", pg, false},
		"that of another service":          {"{spec: {project: p, serviceName: pg2}}", pg, false},
		"the source of an integration":     {"{spec: {project: p, sourceServiceName: pg}}", pg, true},
		"its destination":                  {"{spec: {project: p, destinationServiceName: pg}}", pg, true},
		"a destination in another project": {"{spec: {project: p, destinationServiceName: pg, destinationProjectName: q}}", pg, false},
		"a source in another project":      {"{spec: {project: q, sourceServiceName: pg, sourceProjectName: p}}", pg, true},
		"the service itself":               {pg, pg, false},
		"a service of a project":           {pg, "{kind: Project, metadata: {name: p}}", true},
		"that of an organization":          {pg, "{kind: OrganizationProject, metadata: {name: p}}", true},
		"what has no such place":           {pg, "{kind: KafkaTopic, metadata: {name: p}}", false},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, read(t, tc.object).Within(read(t, tc.other))) })
	}
}

func TestReferences(t *testing.T) {
	const inShop = "metadata: {namespace: shop, name: x}"
	for name, tc := range map[string]struct {
		object, other string
		want          bool
	}{
		"a VPC":                          {"{metadata: {namespace: shop}, spec: {projectVPCRef: {name: x}}}", "{kind: ProjectVPC, " + inShop + "}", true},
		"a VPC of another namespace":     {"{metadata: {namespace: a}, spec: {projectVPCRef: {name: x, namespace: shop}}}", "{kind: ProjectVPC, " + inShop + "}", true},
		"one of the same name elsewhere": {"{metadata: {namespace: a}, spec: {projectVPCRef: {name: x}}}", "{kind: ProjectVPC, " + inShop + "}", false},
		"an endpoint":                    {"{metadata: {namespace: shop}, spec: {destinationEndpointRef: {name: x}}}", "{kind: ServiceIntegrationEndpoint, " + inShop + "}", true},
		"a schema": {
			"{metadata: {namespace: shop}, spec: {references: [{name: a, subject: b}, {name: c, kafkaSchemaRef: {name: x}}]}}", "{kind: KafkaSchema, " + inShop + "}", true,
		},
		"one that was resolved": {"{status: {resolvedRefs: [{kind: Kafka, namespace: shop, name: x, uid: u}]}}", "{kind: Kafka, " + inShop + "}", true},
		"another kind":          {"{metadata: {namespace: shop}, spec: {projectVPCRef: {name: x}}}", "{kind: Kafka, " + inShop + "}", false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, slices.Contains(read(t, tc.object).References(), read(t, tc.other).Place()))
		})
	}
}
