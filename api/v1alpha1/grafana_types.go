package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	grafanauserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/grafana"
)

// GrafanaSpec defines the desired state of a Grafana service.
type GrafanaSpec struct {
	ServiceCommonSpec `json:",inline"`

	// Options of Grafana. An option that is removed keeps its value at Aiven.
	// +optional
	UserConfig *grafanauserconfig.GrafanaUserConfig `json:"userConfig,omitempty"`
}

// Grafana is an Aiven for Grafana service: dashboards for metrics and logs.
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z][-a-z0-9]{0,63}$') || oldSelf.hasValue()",optionalOldSelf=true,message="the name of a service has at most 64 lower-case letters, digits and hyphens, and begins with a letter: choose another metadata.name"
// +kubebuilder:validation:XValidation:rule="!has(self.spec) || !has(self.spec.serviceIntegrations) || self.spec.serviceIntegrations.all(i, i.sourceServiceName != self.metadata.name) || oldSelf.hasValue()",optionalOldSelf=true,message="a service can't be a replica of itself: remove the field, or name another source",fieldPath=".spec.serviceIntegrations"
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:validation:XValidation:rule="has(self.spec) || !has(oldSelf.spec)",message="spec can't be removed: delete the object instead"
// +kubebuilder:resource:path=grafanas,singular=grafana,shortName=avngrafana,categories=aiven
// +kubebuilder:metadata:labels=servicebinding.io/provisioned-service=true
// +kubebuilder:printcolumn:name="Project",type="string",JSONPath=".spec.project"
// +kubebuilder:printcolumn:name="Region",type="string",JSONPath=".spec.cloudName",priority=1
// +kubebuilder:printcolumn:name="Plan",type="string",JSONPath=".spec.plan"
// +kubebuilder:printcolumn:name="State",type="string",JSONPath=".status.state"
// +kubebuilder:printcolumn:name="Ready",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].status"
// +kubebuilder:printcolumn:name="Reason",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].reason"
// +kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"
// +kubebuilder:printcolumn:name="Phase",type="string",JSONPath=".status.phase",priority=1
// +kubebuilder:printcolumn:name="Message",type="string",JSONPath=".status.conditions[?(@.type==\"Ready\")].message",priority=1
// +kubebuilder:printcolumn:name="Secret",type="string",JSONPath=".status.binding.name",priority=1
// +kubebuilder:printcolumn:name="Version",type="string",JSONPath=".status.version",priority=1
type Grafana struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Desired state of the Grafana service.
	// +optional
	Spec GrafanaSpec `json:"spec,omitzero"`

	// Observed state. Set by the operator.
	// +default={"observedGeneration": -1}
	// +optional
	Status ServiceStatus `json:"status,omitzero"`
}

// GrafanaList is a list of Grafana services.
// +kubebuilder:object:root=true
type GrafanaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Grafana `json:"items"`
}

// GetAuthSecretRef returns the Secret key that holds the token, nil for the operator's default token.
func (g *Grafana) GetAuthSecretRef() *AuthSecretReference { return g.Spec.AuthSecretRef }

// GetProjectDependant returns the project that the resource belongs to and its token.
func (g *Grafana) GetProjectDependant() *ProjectDependant { return &g.Spec.ProjectDependant }

// GetBaseServiceFields returns the part of the spec that every service kind has.
func (g *Grafana) GetBaseServiceFields() *BaseServiceFields { return &g.Spec.BaseServiceFields }

// GetServiceCommonSpec returns the part of the spec that service kinds with a disk and a connection Secret share.
func (g *Grafana) GetServiceCommonSpec() *ServiceCommonSpec { return &g.Spec.ServiceCommonSpec }

// GetSecretFields returns where the connection details are published.
func (g *Grafana) GetSecretFields() *SecretFields { return &g.Spec.SecretFields }

// GetServiceStatus returns the status that service kinds share.
func (g *Grafana) GetServiceStatus() *ServiceStatus { return &g.Status }

// GetCommonStatus returns the status that every kind has.
func (g *Grafana) GetCommonStatus() *CommonStatus { return &g.Status.CommonStatus }

func init() {
	register(&Grafana{}, &GrafanaList{})
}
