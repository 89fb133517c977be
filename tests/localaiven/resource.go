package localaiven

import (
	"time"

	"github.com/aero-operator/aero/tests/localaiven/lifetime"
)

// Resource is one thing at the remote side.
type Resource struct {
	// Type is project, billing_group, upgrade_pipeline_step, project_vpc, service_integration_endpoint,
	// service_integration, service, or what is inside one: user, database, connection_pool, kafka_topic, kafka_acl,
	// kafka_native_acl, schema_registry_acl, kafka_quota, kafka_schema (a subject), kafka_connector,
	// clickhouse_database, clickhouse_user, clickhouse_role, clickhouse_grant (of a user or role), opensearch_acl.
	Type string `json:"type"`
	// ID is the name of a project, project/service, and /name for what is inside a service. What has no name has an id of
	// Aiven's after #, and what it is before that, so that two of the same show: project/service/username/topic/permission#id for a
	// kafka_acl, project/cloud/network#id for a project_vpc, project/type/name#id for a service_integration_endpoint,
	// project/type/source/project/destination#id for a service_integration, name#id for a billing_group,
	// project/service/project/service#id, from where to where, for an upgrade_pipeline_step.
	ID string `json:"id"`
	// Builtin came with its service, and goes with it.
	Builtin bool `json:"builtin,omitempty"`
}

// Resources lists everything that exists, by project and service, for counting duplicates and leaks.
func (s *Server) Resources() []Resource {
	out := []Resource{}
	for _, p := range s.allProjects() {
		out = append(out, p.resources()...)
		out = append(out, p.networks(s.clock.Now())...)
		for _, svc := range p.list() {
			out = append(out, svc.resources()...)
		}
		out = append(out, p.endpointResources()...)
	}
	for _, id := range s.integrations.Paths() {
		out = append(out, Resource{Type: "service_integration", ID: id})
	}
	return append(out, s.account.resources()...)
}

// resources is the project itself, where it isn't only implied by its use.
func (p *project) resources() []Resource {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if !p.created {
		return nil
	}
	return []Resource{{Type: "project", ID: p.name}}
}

// resources are those that belong to no project. The first billing group was always there.
func (a *account) resources() []Resource {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []Resource
	for _, g := range a.groups[1:] {
		out = append(out, Resource{Type: "billing_group", ID: g.name + "#" + g.id})
	}
	for _, s := range a.steps {
		out = append(out, Resource{Type: "upgrade_pipeline_step", ID: s.String() + "#" + s.ID})
	}
	return out
}

// networks are the VPCs of the project.
func (p *project) networks(now time.Time) []Resource {
	p.mu.RLock()
	defer p.mu.RUnlock()
	var out []Resource
	for _, v := range p.vpcs {
		if v.state(now) != lifetime.Removed {
			out = append(out, Resource{Type: "project_vpc", ID: p.name + "/" + v.cloud + "/" + v.network.String() + "#" + v.id})
		}
	}
	return out
}

// endpointResources are the integration endpoints of the project.
func (p *project) endpointResources() []Resource {
	p.mu.RLock()
	defer p.mu.RUnlock()
	var out []Resource
	for _, id := range p.endpoints.Paths(p.name) {
		out = append(out, Resource{Type: "service_integration_endpoint", ID: id})
	}
	return out
}

func (svc *service) resources() []Resource {
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	if svc.deleted { // its project may be another's meanwhile
		return nil
	}
	id := svc.project.name + "/" + svc.name
	out := []Resource{{Type: "service", ID: id}}
	for i, u := range svc.users {
		out = append(out, Resource{"user", id + "/" + u.name, i == 0})
	}
	for _, d := range svc.databases {
		out = append(out, Resource{"database", id + "/" + d.name, d.name == svc.kind.database})
	}
	for _, p := range svc.pools {
		out = append(out, Resource{Type: "connection_pool", ID: id + "/" + p.Name})
	}
	for _, t := range svc.topics {
		out = append(out, Resource{Type: "kafka_topic", ID: id + "/" + t.name})
	}
	for _, a := range svc.acls {
		natural := id + "/" + a.Username + "/" + a.Topic + "/" + a.Permission
		out = append(out, Resource{"kafka_acl", natural + "#" + a.ID, a == defaultACL})
	}
	if svc.searchACL.enabled || len(svc.searchACL.acls) > 0 {
		out = append(out, Resource{Type: "opensearch_acl", ID: id})
	}
	out = append(out, svc.kafka.resources(id)...)
	return append(out, svc.clickHouseResources(id)...)
}
