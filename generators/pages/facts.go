package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// facts are what no schema has. The tests of the operator prove them; docs/user/status.md and deletion.md have the rules of all kinds.
type facts struct {
	compared   string   // what is compared with Aiven and corrected
	ignored    string   // what never is; empty if everything is compared
	removed    string   // what happens at Aiven if a field is removed from the spec; empty for specs without optional fields
	deleted    string   // what deleting an object does at Aiven
	conditions []string // besides those of all kinds; of the kinds that make no calls to Aiven, those that come and go
	isService  bool     // what is compared depends on the fields that the service has: see ofService
}

const (
	restKeeps    = "Aiven keeps its value: set the one that you want instead."
	restUnknown  = "It isn't known whether Aiven keeps its value: set the one that you want instead."
	allImmutable = "That it exists. All fields that Aiven has are immutable."
)

// service are the facts of a service, without what ofService adds.
func service(deleted string, conditions ...string) facts {
	return facts{
		removed:    "Tags are removed at Aiven, and `powered` becomes `true`. Otherwise " + restKeeps,
		deleted:    deleted + " With `terminationProtection`, the deletion is refused.",
		conditions: append([]string{"RemoteReady", "ProjectVPCReady"}, conditions...),
		isService:  true,
	}
}

// ofService adds what is compared of a service with the fields of this spec, and the two exceptions: the disk that an autoscaler
// changes, and versions that Aiven has upgraded.
func (f facts) ofService(spec apiextensionsv1.JSONSchemaProps) facts {
	fields := "`plan`, `cloudName`, `projectVpcId` or the VPC of `projectVPCRef`"
	if _, has := spec.Properties["disk_space"]; has {
		fields += ", `disk_space`"
		f.ignored += "`disk_space` while an autoscaler integration changes the disk. "
	}
	if _, has := spec.Properties["migrationSecretSource"]; has {
		f.ignored += "`migrationSecretSource` once its migration is done: [an object migrates once](../guides/migrate-data.md#remove-the-migration). "
	}
	if _, has := spec.Properties["karapace"]; has {
		f.ignored += "`karapace`, which has no effect. "
	}
	if versions := versionsIn(spec.Properties["userConfig"]); len(versions) > 0 {
		f.ignored += fmt.Sprintf("A `%s` above the spec's, as Aiven upgrades versions that reach their end of life: it is [shown as "+
			"drift](../reasons/DriftDetected.md), and never lowered. ", strings.Join(versions, "` or `"))
	}
	f.compared = fields + ", `terminationProtection`, `maintenanceWindowDow`, `maintenanceWindowTime`, `technicalEmails`, and each option in " +
		"`userConfig`: each if the spec sets it. `powered`, which is `true` unless the spec sets it to `false`. `tags`: all of them."
	f.ignored += "`serviceIntegrations` and options of creation, which are only used when the service is created. Options that Aiven " +
		"doesn't return or redacts are sent once for each generation of the spec."
	return f
}

// versionsIn are the options that name a version of the service.
func versionsIn(options apiextensionsv1.JSONSchemaProps) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(options.Properties)), func(name string) bool { return !strings.HasSuffix(name, "_version") })
}

const (
	withBackups = "The service is deleted with its data and its backups."
	migrated    = "MigrationSecretSourceReady"
	migration   = "MigrationComplete"
	expiring    = "CredentialsExpiring"
	blocked     = "RotationBlocked"
)

// factsOf are the facts of each kind.
var factsOf = map[string]facts{
	"ConnectionSecret": {
		compared: "The values of all keys that `presets`, `data` and `keystore` name, `target.labels` and `target.annotations`, with what the source " +
			"connects with. The Secret follows the source, and what another client changes or removes is restored at once.",
		ignored:    "Keys, labels and annotations of other clients, which are kept. The password of key stores, which is in a Secret of yours.",
		removed:    "Its keys, labels and annotations are removed from the Secret. Without `databaseRef`, `database` or `endpoint`, the values are those of the source.",
		deleted:    "The Secret is deleted with the object. Nothing changes at Aiven: the source and its own Secret are kept.",
		conditions: []string{"Reconciling", "Stalled", "Paused"},
	},
	"ServiceUserRotation": {
		compared: "The values of all keys that `presets` and `data` name, `target.labels` and `target.annotations`, with the login of the user whose turn it is. " +
			"What another client changes or removes is restored at once, whose turn it is included.",
		ignored:    "Keys, labels and annotations of other clients, which are kept. A request that another client writes into one of the two users.",
		removed:    "Its keys, labels and annotations are removed from the Secret. Without `database` or `endpoint`, the values are those of the user.",
		deleted:    "The Secret is deleted with the object. Nothing changes at Aiven: both users are kept, with their passwords and their own Secrets.",
		conditions: []string{"Reconciling", "Stalled", blocked, "Paused"},
	},
	"Clickhouse":   service(withBackups, "SecretReady", blocked),
	"Flink":        service("The service is deleted with its applications.", "SecretReady", blocked),
	"Grafana":      service("The service is deleted with its dashboards and its backups.", "SecretReady", blocked),
	"Kafka":        service("The service is deleted with its topics and their messages, which have no backup.", "SecretReady", blocked, expiring),
	"KafkaConnect": service("The service is deleted with its connectors."),
	"MySQL":        service(withBackups, "SecretReady", blocked, migrated, migration, expiring),
	"OpenSearch":   service(withBackups, "SecretReady", blocked),
	"PostgreSQL":   service(withBackups, "SecretReady", blocked, migrated, migration, expiring),
	"Valkey":       service(withBackups, "SecretReady", blocked),

	"ClickhouseDatabase": {
		compared:   allImmutable,
		deleted:    "The database is dropped with its tables. `default` is kept: Aiven makes it with the service.",
		conditions: []string{"ServiceReady", "RemoteReady"},
	},
	"ClickhouseGrant": {
		compared: "That each role and privilege in `roleGrants` and `privilegeGrants` is granted, and that what was granted for this object " +
			"and is no longer in its spec is not.",
		ignored:    "Grants of the console that no object names.",
		removed:    "What is removed from the lists is revoked, unless another `ClickhouseGrant` grants it, too.",
		deleted:    "What was granted for this object is revoked, unless another `ClickhouseGrant` grants it, too.",
		conditions: []string{"ServiceReady", "RemoteReady"},
	},
	"ClickhouseRole": {
		compared:   allImmutable,
		deleted:    "The role is dropped, with its grants.",
		conditions: []string{"ServiceReady", "RemoteReady"},
	},
	"ClickhouseUser": {
		compared:   "The password in the Secret of `connInfoSecretSource`, with the one that is in the connection Secret.",
		ignored:    "The password at Aiven, which is only returned at creation and at a reset.",
		removed:    "Without `connInfoSecretSource`, the user keeps its password.",
		deleted:    "The user is dropped, with its grants. `avnadmin` is kept: Aiven makes it with the service.",
		conditions: []string{"ServiceReady", "RemoteReady", "SecretSourceReady", "SecretReady", blocked},
	},
	"ConnectionPool": {
		compared:   "`databaseName`, and `poolMode`, `poolSize` and `username` if the spec sets them.",
		removed:    restKeeps,
		deleted:    "The pool is deleted. Its database and its user are kept.",
		conditions: []string{"ServiceReady", "RemoteReady", "SecretReady", blocked, expiring},
	},
	"Database": {
		compared:   "That it exists.",
		ignored:    "`lcCollate` and `lcCtype`, which are immutable, and which Aiven doesn't return.",
		removed:    "Without `terminationProtection`, deletion is allowed.",
		deleted:    "The database is dropped with its tables; with `terminationProtection`, the deletion is refused. `defaultdb` is kept: Aiven makes it with the service.",
		conditions: []string{"ServiceReady", "RemoteReady"},
	},
	"KafkaACL": {
		compared:   "That an ACL with the `permission`, `topic` and `username` of the spec exists, and the former one doesn't, unless it is another object's by now.",
		deleted:    "The ACL is removed: clients that are connected lose the permission, too. An ACL that Aiven makes with the service is kept.",
		conditions: []string{"ServiceReady", "RemoteReady"},
	},
	"KafkaConnector": {
		compared:   "`connectorClass`, and each key of `userConfig`.",
		ignored:    "Values that Aiven hides: they are sent with each change of the spec, and when the Secret that they are from changes.",
		removed:    "Keys that the spec doesn't have are removed at Aiven, which starts the tasks again.",
		deleted:    "The connector is deleted. What it has written stays. [Connectors](../connectors.md) has what it needs, and what has to be deleted after it.",
		conditions: []string{"ServiceReady", "RemoteReady", "TasksReady", "SecretSourceReady"},
	},
	"KafkaNativeACL": {
		compared:   "That an ACL like the spec exists. All fields are immutable.",
		ignored:    "Other ACLs, also those that contradict it.",
		deleted:    "The ACL is removed. One with `permissionType: DENY` no longer denies, at once.",
		conditions: []string{"ServiceReady", "RemoteReady"},
	},
	"KafkaQuota": {
		compared:   "All three limits: `consumerByteRate`, `producerByteRate` and `requestPercentage`.",
		removed:    "The limit is lifted. Aiven has no call for that: the quota is deleted and set again, so for a moment there is none.",
		deleted:    "The quota is deleted: its clients have no limit, at once.",
		conditions: []string{"ServiceReady", "RemoteReady"},
	},
	"KafkaSchema": {
		compared:   "That a version of the subject has the schema and the references of the spec, and `compatibilityLevel` if the spec sets it.",
		ignored:    "Newer versions, which producers may register.",
		removed:    "Without `compatibilityLevel`, the subject keeps its level. Without `references`, the schema is another one, and is registered as a new version.",
		deleted:    "The subject is deleted for good with all its versions, also those of producers: messages with the ids of its schemas can't be read any longer.",
		conditions: []string{"ServiceReady", "RemoteReady", "KafkaSchemaReady"},
	},
	"KafkaSchemaRegistryACL": {
		compared:   "That an ACL like the spec exists. All fields are immutable.",
		ignored:    "Other ACLs, also those that contradict it.",
		deleted:    "Every ACL that is like it is removed, as Aiven accepts several. One that Aiven makes with the service is kept.",
		conditions: []string{"ServiceReady", "RemoteReady"},
	},
	"KafkaTopic": {
		compared:   "`partitions`, `replication`, all `tags`, and each option in `config` that the spec sets.",
		ignored:    "Options that the spec omits.",
		removed:    "Tags are removed at Aiven. An option in `config` keeps its value there: set the one that you want instead.",
		deleted:    "The topic is deleted with its messages; with `termination_protection`, the deletion is refused.",
		conditions: []string{"ServiceReady", "RemoteReady"},
	},
	"OpenSearchACLConfig": {
		compared:   "`enabled`, and `acls`, the rules of all users: those that the spec doesn't list are removed.",
		removed:    "Rules are removed at Aiven.",
		deleted:    "The rules are removed and access control is disabled: every user of the service has access to all indexes.",
		conditions: []string{"ServiceReady", "RemoteReady"},
	},
	"OrganizationProject": {
		compared:   "`billingGroupId`, `parentId`, all `tags` and `technicalEmails`, and `basePort` if the spec sets it.",
		removed:    "Tags and addresses are removed at Aiven. `basePort` keeps its value there.",
		deleted:    "The project is deleted once nothing is in it.",
		conditions: []string{"RemoteReady", "SecretReady", blocked, expiring},
	},
	"Project": {
		compared:   "`accountId`, `billingGroupId`, `cardId`, `cloud`, `tags`, `billingEmails` and `technicalEmails`: each if the spec sets it.",
		ignored:    "`billingAddress`, `billingCurrency`, `billingExtraText` and `countryCode`: Aiven keeps them in the billing group. They are sent once for each generation of the spec.",
		removed:    restKeeps,
		deleted:    "The project is deleted once nothing is in it, and nothing is to be paid.",
		conditions: []string{"RemoteReady", "SecretReady", blocked, expiring},
	},
	"ProjectVPC": {
		compared:   allImmutable,
		deleted:    "The VPC is deleted once no service is in it.",
		conditions: []string{"RemoteReady"},
	},
	"ServiceIntegration": {
		compared:   "Each option that the spec sets, also credentials, whose values are never shown.",
		ignored:    "Options that the spec omits.",
		removed:    restUnknown,
		deleted:    "The integration is removed. Without one of type `read_replica`, the replica becomes a service of its own, which accepts writes.",
		conditions: []string{"SourceServiceReady", "DestinationServiceReady", "DestinationEndpointReady", "RemoteReady"},
	},
	"ServiceIntegrationEndpoint": {
		compared:   "Each option that the spec sets, also credentials, whose values are never shown.",
		ignored:    "Options that the spec omits.",
		removed:    restUnknown,
		deleted:    "The endpoint is removed once no integration uses it.",
		conditions: []string{"RemoteReady"},
	},
	"ServiceUser": {
		compared: "The password in the Secret of `connInfoSecretSource`, and `accessControl` if the spec sets it.",
		ignored:  "`authentication`, which is only used at creation.",
		removed:  "Without `connInfoSecretSource`, the user keeps its password; without `accessControl`, its access.",
		deleted: "The user is dropped. One whose `status.type` is `primary` is kept, as Aiven makes it with the service: `avnadmin`, Valkey's `default`, " +
			"or the one that MySQL's `admin_username` names.",
		conditions: []string{"ServiceReady", "RemoteReady", "SecretSourceReady", "SecretReady", blocked, expiring},
	},
	"UpgradePipelineStep": {
		compared:   "`autoValidationDelayDays`, if the spec sets it. The other fields are immutable.",
		removed:    restKeeps,
		deleted:    "The step is removed. The services are kept.",
		conditions: []string{"RemoteReady"},
	},
}
