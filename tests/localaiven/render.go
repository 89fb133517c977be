package localaiven

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/aero-operator/aero/tests/localaiven/serviceintegration"
	"github.com/aero-operator/aero/tests/localaiven/userconfig"
)

// serviceBody is a service as ServiceGet and ServiceList show it.
type serviceBody struct {
	ACL                    *[]acl                           `json:"acl,omitempty"`
	Backups                []backup                         `json:"backups"`
	CloudDescription       string                           `json:"cloud_description"`
	CloudName              string                           `json:"cloud_name"`
	Components             []component                      `json:"components"`
	ConnectionInfo         any                              `json:"connection_info"`
	ConnectionPools        []poolBody                       `json:"connection_pools"`
	CreateTime             string                           `json:"create_time"`
	Databases              []string                         `json:"databases"`
	DiskSpaceMB            int                              `json:"disk_space_mb"`
	Features               map[string]any                   `json:"features"`
	GroupList              []string                         `json:"group_list"`
	KafkaACL               *[]nativeACL                     `json:"kafka_acl,omitempty"`
	Maintenance            maintenance                      `json:"maintenance"`
	Metadata               map[string]any                   `json:"metadata"`
	NodeCount              int                              `json:"node_count"`
	NodeCPUCount           int                              `json:"node_cpu_count"`
	NodeMemoryMB           int                              `json:"node_memory_mb"`
	NodeStates             []nodeState                      `json:"node_states"`
	Plan                   string                           `json:"plan"`
	ProjectVpcID           *string                          `json:"project_vpc_id"`
	SchemaRegistryACL      *[]registryACL                   `json:"schema_registry_acl,omitempty"`
	ServiceIntegrations    []serviceintegration.Integration `json:"service_integrations"`
	ServiceName            string                           `json:"service_name"`
	ServiceNotifications   []notification                   `json:"service_notifications"`
	ServiceType            string                           `json:"service_type"`
	ServiceTypeDescription string                           `json:"service_type_description"`
	ServiceURI             *string                          `json:"service_uri"`
	ServiceURIParams       map[string]string                `json:"service_uri_params"`
	State                  string                           `json:"state"`
	Tags                   map[string]string                `json:"tags"`
	TechEmails             []techEmail                      `json:"tech_emails"`
	TerminationProtection  bool                             `json:"termination_protection"`
	Topics                 *[]topicSummary                  `json:"topics,omitempty"`
	UpdateTime             string                           `json:"update_time"`
	UserConfig             map[string]any                   `json:"user_config"`
	Users                  []userBody                       `json:"users"`
}

type component struct {
	Component            string `json:"component"`
	Host                 string `json:"host"`
	AuthenticationMethod string `json:"kafka_authentication_method,omitempty"`
	Port                 int    `json:"port"`
	PrivateLink          string `json:"privatelink_connection_id,omitempty"`
	Route                string `json:"route"`
	Usage                string `json:"usage"`
}

type nodeState struct {
	AvailabilityZone string `json:"availability_zone"`
	Name             string `json:"name"`
	Role             string `json:"role,omitempty"`
	State            string `json:"state"`
}

type poolBody struct {
	ConnectionURI string  `json:"connection_uri"`
	Database      string  `json:"database"`
	PoolMode      string  `json:"pool_mode"`
	PoolName      string  `json:"pool_name"`
	PoolSize      int     `json:"pool_size"`
	Username      *string `json:"username"`
}

// rendering is a service in JSON, good as long as neither its version nor its state changes, nor that of a topic or
// an integration.
type rendering struct {
	version int
	state   string
	until   time.Time // when the next topic or integration is ready; zero is never
	body    []byte
}

// render returns the service in JSON. Many clients read a service far more often than it changes, so it is kept.
func (s *Server) render(svc *service, secrets bool) []byte {
	kept := &svc.closed
	if secrets {
		kept = &svc.open
	}
	svc.mu.RLock()
	defer svc.mu.RUnlock()
	now := s.clock.Now()
	state := svc.state(now)
	if r := kept.Load(); r != nil && r.version == svc.version && r.state == state && (r.until.IsZero() || now.Before(r.until)) {
		return r.body
	}
	shown := svc.body(state, now, secrets)
	s.options.Variants.apply(&shown)
	body, err := json.Marshal(shown)
	if err != nil {
		s.log.Error("encoding a service", "service", svc.name, "error", err)
	}
	kept.Store(&rendering{svc.version, state, svc.nextChange(now), body})
	return body
}

// body is the service in its state now. The caller holds mu.
func (svc *service) body(state string, now time.Time, secrets bool) serviceBody {
	b := serviceBody{
		Backups: svc.backups(), CloudDescription: svc.cloud, CloudName: svc.cloud, Components: []component{},
		ConnectionPools: []poolBody{}, CreateTime: timestamp(svc.created), Databases: []string{}, DiskSpaceMB: svc.diskMB,
		Features: map[string]any{}, GroupList: []string{"default"}, Maintenance: svc.maintenance, Metadata: map[string]any{},
		NodeCount: svc.plan.nodes, NodeCPUCount: svc.plan.cpus, NodeMemoryMB: svc.plan.memoryMB,
		NodeStates: svc.nodeStates(state), Plan: svc.plan.name, ServiceIntegrations: []serviceintegration.Integration{}, ServiceName: svc.name,
		ServiceType: svc.kind.name, ServiceTypeDescription: svc.kind.description,
		State: state, Tags: svc.tags, TechEmails: []techEmail{}, TerminationProtection: svc.protected,
		UpdateTime: timestamp(svc.updated), UserConfig: svc.userConfig, Users: []userBody{},
	}
	if svc.vpcID != "" {
		b.ProjectVpcID = &svc.vpcID
	}
	if !secrets {
		b.UserConfig, _ = withoutSecrets(userconfig.OfService(svc.kind.name).Hide(svc.userConfig)).(map[string]any)
	}
	b.ServiceIntegrations = append(b.ServiceIntegrations, svc.integrations.At(now)...)
	b.TechEmails = append(b.TechEmails, svc.techEmails...)
	for _, d := range svc.databases {
		b.Databases = append(b.Databases, d.name)
	}
	for _, u := range svc.users {
		b.Users = append(b.Users, u.body(secrets))
	}
	for _, p := range svc.pools {
		b.ConnectionPools = append(b.ConnectionPools, svc.poolBody(p, secrets))
	}
	if svc.kind.show != nil {
		svc.kind.show(svc, &b, now)
	}
	svc.notify(&b, state)
	svc.connect(&b, secrets)
	b.Components = svc.onAllRoutes(b.Components)
	return b
}

// nextChange is when the service is shown differently although nothing changes it: when the next topic, database of ClickHouse
// or integration is ready or gone. Zero is never. The caller holds mu.
func (svc *service) nextChange(now time.Time) time.Time {
	next := svc.topicsChange(now)
	if svc.clickhouse != nil { // which has no topics
		next = svc.clickhouse.NextChange()
	}
	if ready := svc.integrations.NextReady(now); !ready.IsZero() && (next.IsZero() || ready.Before(next)) {
		next = ready
	}
	return next
}

// nodeStates lists the nodes: none without power, and those set at the console as they were set.
func (svc *service) nodeStates(state string) []nodeState {
	out := []nodeState{}
	if state == statePoweroff {
		return out
	}
	usual := map[string]string{stateRebuilding: "setting_up_vm", stateRebalancing: "syncing_data"}[state]
	if usual == "" {
		usual = "running"
	}
	for i := range svc.plan.nodes {
		n := nodeState{svc.cloud + "-" + string(rune('a'+i%3)), fmt.Sprintf("%s-%d", svc.name, i+1), "", usual}
		if svc.kind.primary != "" {
			n.Role = "standby"
			if i == 0 {
				n.Role = svc.kind.primary
			}
		}
		if set, ok := svc.nodes[n.Name]; ok {
			n.State = set
		}
		out = append(out, n)
	}
	return out
}

func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
