package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Credentials are the dates of what the connection Secret holds.
type Credentials struct {
	// Time until which the client certificate in the connection Secret is valid.
	// +optional
	CertificateNotAfter *metav1.Time `json:"certificateNotAfter,omitempty"`
	// Time until which the previous client certificate is valid, once Aiven has issued the one in the connection Secret.
	// +optional
	ExpiringCertificateNotAfter *metav1.Time `json:"expiringCertificateNotAfter,omitempty"`
	// Time at which the connection Secret got the client certificate, while the previous one is valid, too.
	// +optional
	RenewedAt *metav1.Time `json:"renewedAt,omitempty"`
	// End of the previous client certificate whose renewal was acknowledged at Aiven, as an annotation asks.
	// +optional
	RenewalAcknowledgedFor *metav1.Time `json:"renewalAcknowledgedFor,omitempty"`
	// Time at which the password was last set.
	// +optional
	PasswordUpdatedAt *metav1.Time `json:"passwordUpdatedAt,omitempty"`
	// Time until which the certificate of the project's CA in the connection Secret is valid.
	// +optional
	CANotAfter *metav1.Time `json:"caNotAfter,omitempty"`
}

// ServiceNotices are what Aiven announces or reports of a service, beside its state.
type ServiceNotices struct {
	// Version of the software that the service runs, for example 17.6. While Aiven builds or upgrades the service, the latest known one.
	// +optional
	Version string `json:"version,omitempty"`
	// Address of the service in the Aiven Console.
	// +optional
	ConsoleURL string `json:"consoleURL,omitempty"`
	// Maintenance of the service.
	// +optional
	Maintenance *Maintenance `json:"maintenance,omitempty"`
	// End of life of the version of the service, once Aiven announces it.
	// +optional
	EndOfLife *EndOfLife `json:"endOfLife,omitempty"`
	// Time at which Aiven deletes the service, with its data and backups, if it stays powered off.
	// +optional
	RemovalTime *metav1.Time `json:"removalTime,omitempty"`
	// Backups of the service.
	// +optional
	Backups *Backups `json:"backups,omitempty"`
}

// Maintenance is what Aiven is going to do to a service.
type Maintenance struct {
	// Updates that wait for a maintenance window, at most 20.
	// +kubebuilder:validation:MaxItems=20
	// +listType=atomic
	// +optional
	Pending []MaintenanceUpdate `json:"pending,omitempty"`
}

// MaintenanceUpdate is an update that waits for a maintenance window.
type MaintenanceUpdate struct {
	// Description of the update.
	// +optional
	Description string `json:"description,omitempty"`
	// Impact of the update on clients.
	// +optional
	Impact string `json:"impact,omitempty"`
	// Time by which the update is installed at the latest, as Aiven writes it.
	// +optional
	Deadline string `json:"deadline,omitempty"`
	// Time at which the update starts, once Aiven has scheduled it.
	// +optional
	StartAt *metav1.Time `json:"startAt,omitempty"`
}

// EndOfLife is when Aiven stops supporting the version of a service.
type EndOfLife struct {
	// Time of the end of life.
	// +optional
	Time *metav1.Time `json:"time,omitempty"`
	// Version that Aiven upgrades the service to then, with its type where that differs.
	// +optional
	UpgradeTo string `json:"upgradeTo,omitempty"`
	// Address of Aiven's article about it.
	// +optional
	URL string `json:"url,omitempty"`
}

// Backups are those that Aiven keeps of a service.
type Backups struct {
	// Time of the latest backup.
	// +optional
	Latest *metav1.Time `json:"latest,omitempty"`
	// Number of backups.
	Count int `json:"count"`
}
