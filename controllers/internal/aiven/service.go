package aiven

import (
	"slices"
	"time"

	"github.com/aiven/go-client-codegen/handler/service"
)

// States of a service.
const (
	StateRunning     = string(service.ServiceStateTypeRunning)
	StateRebuilding  = string(service.ServiceStateTypeRebuilding)
	StateRebalancing = string(service.ServiceStateTypeRebalancing)
	StatePoweroff    = string(service.ServiceStateTypePoweroff)
)

// Types of notifications of a service.
const (
	NotificationEndOfLife = service.ServiceNotificationTypeServiceEndOfLife
	NotificationRemoval   = service.ServiceNotificationTypeServicePoweredOffRemoval
)

// Names that Aiven gives to things in a service.
const (
	TypeKafka   = "kafka"    // the type of a Kafka service, and the component of its brokers
	PrimaryUser = "avnadmin" // the user that exists as long as its service
)

// What a service holds. Its shape is the same in all answers, so the generated types serve.
type (
	// User is a user of a service. The answers to creating or getting a single one convert to it by a Go conversion.
	User = service.UserOut
	// Pool is a connection pool of PgBouncer, with its own URI.
	Pool = service.ConnectionPoolOut
	// Topic is a topic of Kafka as the service lists it. See Client.Topic for its configuration.
	Topic = service.TopicOut
	// Component is an endpoint of a component of a service.
	Component = service.ComponentOut
	// ConnectionInfo has the URIs and credentials that only some products have.
	ConnectionInfo = service.ConnectionInfoOut
	// NodeState is the state of one machine.
	NodeState = service.NodeStateOut
	// Integration links the service with another one or with an endpoint.
	Integration = service.ServiceIntegrationOut
	// ACL is an Aiven ACL for Kafka.
	ACL = service.AclOut
	// KafkaACL is a Kafka-native ACL.
	KafkaACL = service.KafkaAclOut
	// SchemaRegistryACL is an ACL of the schema registry.
	SchemaRegistryACL = service.SchemaRegistryAclOut
	// Update is one that waits for maintenance.
	Update = service.UpdateOut
	// Notification is what Aiven announces of a service.
	Notification = service.ServiceNotificationOut
	// Backup is one of a service.
	Backup = service.BackupOut
)

// IsPrimary reports whether Aiven makes and deletes a user with its service. Valkey's is called default, and MySQL's as admin_username says.
func IsPrimary(u User) bool { return u.Username == PrimaryUser || u.Type == "primary" }

// Service is a service with all that its answer holds about what lives in it. It is shared by its readers: never change
// it or anything it points to.
type Service struct {
	Project, Name string
	// Type is the code of the product, such as "pg".
	Type, Plan, Cloud string
	// State is one of the State constants, or one that Aiven added since.
	State string
	// DiskSpaceMB is 0 if the answer has none.
	DiskSpaceMB int
	// ProjectVPCID is empty outside a VPC.
	ProjectVPCID          string
	TerminationProtection bool
	Maintenance           Maintenance
	Tags                  map[string]string
	TechEmails            []string
	// UserConfig is as JSON decodes it: numbers are float64.
	UserConfig map[string]any

	// URI and URIParams hold the password of the main user. Both are empty until the service has an address.
	URI       string
	URIParams map[string]string
	// ConnectionInfo is nil if the answer has none.
	ConnectionInfo *ConnectionInfo
	Components     []Component
	NodeStates     []NodeState

	// Users, Databases, Pools and Topics are keyed by name. They are nil if the answer has no such list, which says nothing
	// about what exists, and empty if it has an empty one.
	Users     map[string]*User
	Databases map[string]bool
	Pools     map[string]*Pool
	Topics    map[string]*Topic

	// These lists are nil, too, if the answer has no such list.
	Integrations       []Integration
	ACLs               []ACL
	KafkaACLs          []KafkaACL
	SchemaRegistryACLs []SchemaRegistryACL

	UpdateTime time.Time

	// Notices announce or report what doesn't change what is in the service. No change of them is notified: polls show it.
	Notices Notices

	// partial are the prefixes of the lists that the answer left out, and that hold only what we have written.
	partial []string
}

// Notices are as Aiven returns them; a list is nil if the answer has none.
type Notices struct {
	Updates       []Update
	Notifications []Notification
	Backups       []Backup
	// Metadata has the version of the software by a key such as "pg_version", as JSON decodes it.
	Metadata map[string]any
}

// Maintenance is the weekly window for updates: a day such as "monday" and a time of day such as "10:00:00" in UTC. Both
// are empty if the answer has none.
type Maintenance struct{ Dow, Time string }

// Operational reports whether clients can use the service now.
func (s *Service) Operational() bool {
	return s.State == StateRunning || s.State == StateRebalancing
}

// User returns the user of that name.
func (s *Service) User(name string) (User, bool) {
	if user, ok := s.Users[name]; ok {
		return *user, true
	}
	return User{}, false
}

// Pool returns the connection pool of that name.
func (s *Service) Pool(name string) (Pool, bool) {
	if pool, ok := s.Pools[name]; ok {
		return *pool, true
	}
	return Pool{}, false
}

// Lists reports whether the list that an entry belongs to is complete, so that an entry which isn't in it doesn't exist.
func (s *Service) Lists(entry Entry) bool {
	r, _, ok := rowOf(entry)
	return ok && !r.lacks(s) && !slices.Contains(s.partial, r.prefix)
}

// WithIntegrations is the service with the whole list of its integrations, of which its answer had none. What we have written is
// part of it, as the list may lag behind.
func (s *Service) WithIntegrations(listed []Integration) *Service {
	complete := *s
	complete.Integrations = append(slices.Clone(listed), s.Integrations...)
	complete.partial = slices.DeleteFunc(slices.Clone(s.partial), func(prefix string) bool { return prefix == integrationEntries })
	return &complete
}

// HasDatabase reports whether the list of databases has that name.
func (s *Service) HasDatabase(name string) bool { return s.Databases[name] }

// SASL returns the endpoint of Kafka's brokers for users with a password, on the dynamic route.
func (s *Service) SASL() (Component, bool) {
	for _, c := range s.Components {
		if c.Component == TypeKafka && c.Route == service.RouteTypeDynamic &&
			c.KafkaAuthenticationMethod == service.KafkaAuthenticationMethodTypeSasl {
			return c, true
		}
	}
	return Component{}, false
}

// Component returns the primary endpoint of a component ("kafka", "schema_registry") on the dynamic route, which is the
// one that every service has, else its first endpoint.
func (s *Service) Component(name string) (Component, bool) {
	var first *Component
	for i := range s.Components {
		c := &s.Components[i]
		if c.Component != name {
			continue
		}
		if c.Route == service.RouteTypeDynamic && c.Usage == service.UsageTypePrimary {
			return *c, true
		}
		if first == nil {
			first = c
		}
	}
	if first == nil {
		return Component{}, false
	}
	return *first, true
}
