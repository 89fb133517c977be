package v1alpha1

// BaseServiceFields are the fields that every service kind has.
type BaseServiceFields struct {
	ProjectDependant `json:",inline"`

	// Plan of the service, which decides its size, its number of nodes and its price, for example startup-4.
	// +kubebuilder:validation:MaxLength=128
	Plan string `json:"plan"`

	// Cloud and region to run in, for example google-europe-west1. Changing it moves the service.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	CloudName string `json:"cloudName,omitempty"`

	// Identifier of the project VPC to run in. Takes precedence over projectVPCRef.
	// +kubebuilder:validation:MaxLength=36
	// +optional
	ProjectVPCID string `json:"projectVpcId,omitempty"`

	// ProjectVPC object whose VPC to run in.
	// +optional
	ProjectVPCRef *ResourceReference `json:"projectVPCRef,omitempty"`

	// Day of the week on which maintenance may start.
	// +kubebuilder:validation:Enum=monday;tuesday;wednesday;thursday;friday;saturday;sunday
	// +optional
	MaintenanceWindowDow string `json:"maintenanceWindowDow,omitempty"`

	// Time of day, in UTC and as HH:mm:ss, at which maintenance may start.
	// +kubebuilder:validation:MaxLength=8
	// +optional
	MaintenanceWindowTime string `json:"maintenanceWindowTime,omitempty"`

	// Set to true to refuse deletion, of this object and of the service at Aiven.
	// +optional
	TerminationProtection *bool `json:"terminationProtection,omitempty"`

	// Tags of the service at Aiven, name to value. Tags that aren't listed here are removed.
	// +optional
	Tags map[string]string `json:"tags,omitempty"`

	// Integrations to create the service with. They can't be changed afterwards.
	// +kubebuilder:validation:MaxItems=1
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="Value is immutable"
	// +optional
	ServiceIntegrations []*ServiceIntegrationItem `json:"serviceIntegrations,omitempty"`

	// Addresses that Aiven writes to about technical matters of this service.
	// +kubebuilder:validation:MaxItems=10
	// +optional
	TechnicalEmails []ServiceTechEmail `json:"technicalEmails,omitempty"`

	// Set to false to power the service off. Aiven keeps its backups, and restores the latest when it is powered on again.
	// +kubebuilder:default=true
	// +optional
	Powered *bool `json:"powered,omitempty"`
}

// ServiceCommonSpec are the fields of the service kinds that store data and publish connection details.
type ServiceCommonSpec struct {
	BaseServiceFields `json:",inline"`
	SecretFields      `json:",inline"`

	// Disk size in GiB, for example 90GiB. Has to be one that the plan allows; without it, the plan's own size is used.
	// +kubebuilder:validation:Pattern="(?i)^[1-9][0-9]*(GiB|G)?$"
	// +optional
	DiskSpace string `json:"disk_space,omitempty"`
}

// ServiceIntegrationItem is an integration that exists from the first moment of a service.
type ServiceIntegrationItem struct {
	// Kind of integration.
	// +kubebuilder:validation:Enum=read_replica
	IntegrationType string `json:"integrationType"`
	// Name of the service that the data comes from.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	SourceServiceName string `json:"sourceServiceName"`
}

// ServiceTechEmail is a technical contact.
type ServiceTechEmail struct {
	// Email address.
	// +kubebuilder:validation:Pattern="^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$"
	Email string `json:"email"`
}

// MigrationSecretSource names a Secret with the access data of a database to migrate from.
//
// Keys of the Secret: host and port; optionally password, dbname, username, ssl, method, ignore_dbs and ignore_roles.
type MigrationSecretSource struct {
	// Name of the Secret, in the namespace of this object.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
	// Says that the Secret isn't needed once the migration is done. The operator doesn't delete it yet: do so yourself when
	// the condition MigrationComplete is True.
	// +kubebuilder:default=false
	// +optional
	DeleteAfterMigration bool `json:"deleteAfterMigration,omitempty"`
}

// ServiceStatus is the status of a service kind.
type ServiceStatus struct {
	CommonStatus `json:",inline"`

	// State that Aiven reports: POWEROFF, REBALANCING, REBUILDING or RUNNING.
	// +optional
	State string `json:"state,omitempty"`
}
