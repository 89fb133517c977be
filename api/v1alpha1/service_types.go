package v1alpha1

// BaseServiceFields are the fields of every service kind.
type BaseServiceFields struct {
	ProjectDependant `json:",inline"`

	// Service plan, for example startup-4. It determines the number of nodes, their CPU, memory and disk, and the price.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="must not be . or ..: choose another name"
	Plan string `json:"plan"`

	// Cloud and region, for example google-europe-west1. A change migrates the service to the new region. If omitted, a new
	// service is in the default cloud of the project, and an existing one stays where it is.
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="must not be . or ..: choose another name"
	// +optional
	CloudName string `json:"cloudName,omitempty"`

	// ID of the project VPC to place the service in. Takes precedence over projectVPCRef. Removing it leaves the service in its VPC.
	// +kubebuilder:validation:MaxLength=36
	// +optional
	ProjectVPCID string `json:"projectVpcId,omitempty"`

	// ProjectVPC object whose VPC the service is placed in. Removing it leaves the service in its VPC.
	// +optional
	ProjectVPCRef *ResourceReference `json:"projectVPCRef,omitempty"`

	// Day of the week of the maintenance window.
	// +kubebuilder:validation:Enum=monday;tuesday;wednesday;thursday;friday;saturday;sunday
	// +optional
	MaintenanceWindowDow string `json:"maintenanceWindowDow,omitempty"`

	// Start of the maintenance window, in UTC, as HH:mm:ss.
	// +kubebuilder:validation:MaxLength=8
	// +optional
	MaintenanceWindowTime string `json:"maintenanceWindowTime,omitempty"`

	// Protects this object and the service at Aiven from deletion. Defaults to false.
	// +optional
	TerminationProtection *bool `json:"terminationProtection,omitempty"`

	// Tags of the service at Aiven. Tags that are not listed here are removed.
	// +optional
	Tags map[string]string `json:"tags,omitempty"`

	// Integrations to create the service with. Immutable.
	// +kubebuilder:validation:MaxItems=1
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	ServiceIntegrations []*ServiceIntegrationItem `json:"serviceIntegrations,omitempty"`

	// Email addresses that receive Aiven's technical notifications about this service. At most 10.
	// +kubebuilder:validation:MaxItems=10
	// +optional
	TechnicalEmails []ServiceTechEmail `json:"technicalEmails,omitempty"`

	// Whether the service is powered on. If false, Aiven deletes its nodes and keeps its backups, and restores the latest backup when
	// it is powered on again. Data without a backup is lost: Kafka has none. Can't be false together with terminationProtection.
	// Defaults to true.
	// +kubebuilder:default=true
	// +optional
	Powered *bool `json:"powered,omitempty"`
}

// ServiceCommonSpec are the fields of the service kinds that store data and publish connection details.
type ServiceCommonSpec struct {
	BaseServiceFields `json:",inline"`
	SecretFields      `json:",inline"`

	// Disk size in GiB, for example 90GiB. Must be within the limits and steps of the plan. Not corrected while an autoscaler
	// integration changes the disk. Defaults to the size of the plan.
	// +kubebuilder:validation:Pattern="(?i)^[1-9][0-9]*(GiB|G)?$"
	// +optional
	DiskSpace string `json:"disk_space,omitempty"`
}

// ServiceIntegrationItem is an integration that the service is created with.
type ServiceIntegrationItem struct {
	// Type of the integration.
	// +kubebuilder:validation:Enum=read_replica
	IntegrationType string `json:"integrationType"`
	// Name of the service to replicate, in the same project.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..'",message="must not be . or ..: choose another name"
	SourceServiceName string `json:"sourceServiceName"`
}

// ServiceTechEmail is a technical contact.
type ServiceTechEmail struct {
	// Email address.
	// +kubebuilder:validation:Pattern="^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$"
	Email string `json:"email"`
}

// MigrationSecretSource names a Secret with the credentials of a database to migrate from.
//
// Keys of the Secret: host and port; optionally password, dbname, username, ssl, method, ignore_dbs and ignore_roles; of MySQL
// also dump_tool and reestablish_replication.
type MigrationSecretSource struct {
	// Name of the Secret, in the namespace of this object.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Deletes the Secret once the condition MigrationComplete is True, if it is still the one whose values were sent to Aiven.
	// Needs the chart's value rbac.deleteMigrationSecrets; the condition reports what is missing. Defaults to false.
	// +kubebuilder:default=false
	// +optional
	DeleteAfterMigration bool `json:"deleteAfterMigration,omitempty"`
}

// ServiceStatus is the status of a service kind.
type ServiceStatus struct {
	CommonStatus   `json:",inline"`
	ServiceNotices `json:",inline"`

	// State of the service at Aiven: POWEROFF, REBALANCING, REBUILDING or RUNNING.
	// +optional
	State string `json:"state,omitempty"`
}
