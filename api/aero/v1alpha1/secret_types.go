package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// SecretContents is what a Secret with a login has: the same for all kinds that make one.
// +kubebuilder:validation:XValidation:rule="!has(self.fallbackRoute) || has(self.endpoint) && has(self.endpoint.route) && self.endpoint.route != self.fallbackRoute",message="fallbackRoute needs endpoint.route, and another value",fieldPath=".fallbackRoute"
type SecretContents struct {
	// Name of the database at Aiven, for one that no object manages. Defaults to the database of the source.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +optional
	Database string `json:"database,omitempty"`

	// Endpoint of the service to connect to. Defaults to the endpoint that the source publishes.
	// +optional
	Endpoint *EndpointSelector `json:"endpoint,omitempty"`

	// Network route to use if the service has no endpoint on endpoint.route. If omitted, the object isn't ready then, and the Secret is
	// left unchanged.
	// +optional
	FallbackRoute Route `json:"fallbackRoute,omitempty"`

	// Sets of keys that applications and libraries expect. A key that is in several has the same value in each.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=5
	// +listType=set
	// +optional
	Presets []Preset `json:"presets,omitempty"`

	// Values of further keys, as Go templates of at most 64 KiB each. They win over the keys of presets.
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(key, key.size() <= 253 && key.matches('^[-._a-zA-Z0-9]+$') && key != '.' && !key.startsWith('..'))",message="a key has at most 253 letters, digits, hyphens, underscores and dots, isn't . and doesn't begin with .."
	// +optional
	Data map[string]Template `json:"data,omitempty"`

	// Secret that receives the values. Defaults to a Secret with the name of this object.
	// +kubebuilder:default={}
	// +optional
	Target SecretTarget `json:"target,omitzero"`
}

// Template is a Go template.
// +kubebuilder:validation:MaxLength=65536
type Template string

// Route is the network route of an endpoint, by Aiven's names.
// +kubebuilder:validation:Enum=dynamic;public;private;privatelink
type Route string

// EndpointSelector chooses one of the endpoints of a service. What isn't set is as in the endpoint that the source publishes.
// +kubebuilder:validation:XValidation:rule="!has(self.privatelinkConnectionID) || has(self.route) && self.route == 'privatelink'",message="privatelinkConnectionID needs the route privatelink",fieldPath=".privatelinkConnectionID"
type EndpointSelector struct {
	// Component of the service, by Aiven's name: pg, pgbouncer, kafka, schema_registry.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Component string `json:"component,omitempty"`
	// Network route: dynamic, public, private or privatelink.
	// +optional
	Route Route `json:"route,omitempty"`
	// Nodes that the endpoint leads to: primary, replica, disaster_recovery or ha_replica.
	// +kubebuilder:validation:Enum=primary;replica;disaster_recovery;ha_replica
	// +optional
	Usage string `json:"usage,omitempty"`
	// Identifier of the PrivateLink connection. Required if the service has several.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +optional
	PrivatelinkConnectionID string `json:"privatelinkConnectionID,omitempty"`
	// Authentication of clients of Kafka: by certificate, or sasl for a username and a password.
	// +kubebuilder:validation:Enum=certificate;sasl
	// +optional
	KafkaAuthentication string `json:"kafkaAuthentication,omitempty"`
}

// Preset is a set of keys.
// +kubebuilder:validation:Enum=ServiceBinding;CloudNativePG;Libpq;KafkaProperties;KafkaEnv
type Preset string

// The presets.
const (
	PresetServiceBinding  Preset = "ServiceBinding"  // the well-known entries of the Service Binding specification
	PresetCloudNativePG   Preset = "CloudNativePG"   // the keys of the Secrets that CloudNativePG makes
	PresetLibpq           Preset = "Libpq"           // the environment variables of PostgreSQL clients
	PresetKafkaProperties Preset = "KafkaProperties" // client.properties of the Java clients of Kafka
	PresetKafkaEnv        Preset = "KafkaEnv"        // environment variables for other clients of Kafka
)

// SecretTarget configures the Secret.
// +kubebuilder:validation:XValidation:rule="has(oldSelf.name) == has(self.name)",message="field can't be added or removed: create another object instead",fieldPath=".name"
// +kubebuilder:validation:XValidation:rule="has(oldSelf.type) == has(self.type)",message="field can't be added or removed: create another object instead",fieldPath=".type"
type SecretTarget struct {
	// Name of the Secret, in the namespace of this object. Defaults to the name of this object. Immutable.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +optional
	Name string `json:"name,omitempty"`
	// Type of the Secret. Defaults to Opaque, and with the preset ServiceBinding to servicebinding.io/ and the type of the service. Immutable.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable: create another object instead"
	// +kubebuilder:validation:XValidation:rule="!(self in ['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token'])",message="types kubernetes.io/service-account-token and bootstrap.kubernetes.io/token are refused, as such a Secret is a token of the cluster: choose another type"
	// +optional
	Type string `json:"type,omitempty"`
	// Labels of the Secret, in addition to those of the operator.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of the Secret. Those of the source aren't copied.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
}

// SecretStatus is the observed state of such an object.
type SecretStatus struct {
	// Generation of the spec that this status describes; -1 until the first reconcile.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions of the object. Ready summarizes the others.
	// +optional
	// +listType=atomic
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Value of the annotation controllers.aiven.io/reconcile-requested-at that the operator has handled.
	// +optional
	LastHandledReconcileAt string `json:"lastHandledReconcileAt,omitempty"`
	// Secret of the object, once it is published: a Provisioned Service of the Service Binding specification.
	// +optional
	Binding *SecretBinding `json:"binding,omitempty"`
	// Endpoint that the published values lead to.
	// +optional
	Endpoint *EndpointStatus `json:"endpoint,omitempty"`
}

// SecretBinding names the Secret of an object.
type SecretBinding struct {
	// Name of the Secret, in the namespace of this object.
	Name string `json:"name"`
}

// EndpointStatus is where the published values lead to.
type EndpointStatus struct {
	// Host name.
	Host string `json:"host"`
	// Port number.
	Port int32 `json:"port"`
	// Network route: dynamic, public, private or privatelink.
	// +optional
	Route Route `json:"route,omitempty"`
	// Nodes that the endpoint leads to: primary, replica, disaster_recovery or ha_replica.
	// +optional
	Usage string `json:"usage,omitempty"`
}

// nameOr returns the name of the Secret, or else that of its object.
func (t SecretTarget) nameOr(name string) string {
	if t.Name != "" {
		return t.Name
	}
	return name
}
