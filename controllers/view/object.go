package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

// Object is what kinds have in common, and what names other objects in them.
type Object struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              Spec   `json:"spec"`
	Status            Status `json:"status"`
}

// Spec has fields of several kinds: where the resource lives, what it names, and where its connection details go.
type Spec struct {
	v1alpha1.ServiceDependant `json:",inline"`
	v1alpha1.SecretFields     `json:",inline"`

	Plan         string `json:"plan"`
	DatabaseName string `json:"databaseName"`

	SourceServiceName      string `json:"sourceServiceName"`
	SourceProjectName      string `json:"sourceProjectName"`
	DestinationServiceName string `json:"destinationServiceName"`
	DestinationProjectName string `json:"destinationProjectName"`

	ProjectVPCRef          *v1alpha1.ResourceReference     `json:"projectVPCRef"`
	DestinationEndpointRef *v1alpha1.EndpointReference     `json:"destinationEndpointRef"`
	References             []v1alpha1.KafkaSchemaReference `json:"references"`

	// Those of aero-operator.io.
	SourceRef *aero.SourceReference `json:"sourceRef"`
	UserRefs  []aero.UserReference  `json:"userRefs"`
	Target    aero.SecretTarget     `json:"target"`
}

// Status is the status that every kind has.
type Status struct {
	v1alpha1.CommonStatus `json:",inline"`
}

// Ready is the condition that sums up the others.
const Ready = condition.Ready

// Groups are the API groups whose objects are read here.
var Groups = []schema.GroupVersion{v1alpha1.GroupVersion, aero.GroupVersion}

// Of reads an object of one of the API groups.
func Of(u *unstructured.Unstructured) (*Object, error) {
	o := &Object{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, o); err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	return o, nil
}

// String is the kind and the name, as kubectl takes them.
func (o *Object) String() string { return o.Kind + "/" + o.Name }

// Ready returns the condition of this type. An object that was never reconciled has none: it is Unknown without a reason then.
func (o *Object) Ready() metav1.Condition {
	if found := o.Condition(condition.Ready); found != nil {
		return *found
	}
	return metav1.Condition{Type: condition.Ready, Status: metav1.ConditionUnknown, LastTransitionTime: o.CreationTimestamp}
}

// Condition returns the condition of a type, or nil.
func (o *Object) Condition(kind string) *metav1.Condition {
	return apimeta.FindStatusCondition(o.Status.Conditions, kind)
}

// Current reports whether the status describes the current spec.
func (o *Object) Current() bool { return o.Status.ObservedGeneration == o.Generation }

// Paused reports whether the operator leaves the object alone, as a user wants it.
func (o *Object) Paused() bool { return o.Annotations[annotation.Paused] == on }

// Requested reports whether the latest Request asks for this.
func (o *Object) Requested(at string) bool { return o.Annotations[annotation.Requested] == at }

// Handled reports whether the operator has done what a Request asks.
func (o *Object) Handled(at string) bool { return o.Status.LastHandledReconcileAt == at }

// Drifted returns the condition of this type, or nil if no drift is known.
func (o *Object) Drifted() *metav1.Condition { return o.Condition(condition.Drifted) }

// RotationBlocked returns the condition of this type, or nil if no rotation is blocked.
func (o *Object) RotationBlocked() *metav1.Condition { return o.Condition(condition.RotationBlocked) }

// CredentialsExpiring returns the condition of this type, or nil if no certificate of the connection Secret ends soon.
func (o *Object) CredentialsExpiring() *metav1.Condition {
	return o.Condition(condition.CredentialsExpiring)
}

// Cause is the condition that decides Ready: the component that explains it, or Ready itself. Ready repeats the message of its cause,
// perhaps with a remedy or a duration behind it; of a service that isn't ready, it has a sentence of its own.
func (o *Object) Cause() metav1.Condition {
	ready := o.Ready()
	var components []metav1.Condition
	for _, c := range o.Status.Conditions {
		if !slices.Contains(summaries, c.Type) && (c.Status != metav1.ConditionTrue || c.Type == condition.Drifted) {
			components = append(components, c)
		}
	}
	for _, explains := range []func(metav1.Condition) bool{
		func(c metav1.Condition) bool { return c.Message == ready.Message },
		func(c metav1.Condition) bool { return c.Reason == ready.Reason },
		func(c metav1.Condition) bool { return c.Message != "" && strings.HasPrefix(ready.Message, c.Message) },
		func(c metav1.Condition) bool { return waits(ready) && slices.Contains(condition.ServiceTypes, c.Type) },
	} {
		if i := slices.IndexFunc(components, explains); i >= 0 && ready.Status != metav1.ConditionTrue {
			return components[i]
		}
	}
	return ready
}

// Explaining is the reason of Ready whose page has the remedy. An object that is being deleted is retried, whatever the error is, and without
// a valid token it doesn't help to wait. The reasons of other components aren't those of Ready: tasks may fail by AuthFailed, too.
func (o *Object) Explaining() string {
	if o.Cause().Type == condition.AuthValid {
		return condition.ReasonAuthFailed
	}
	return o.Ready().Reason
}

// summaries are the types that explain nothing: they follow from the others.
var summaries = []string{
	condition.Ready, condition.Reconciling, condition.Stalled,
	condition.LegacyInitialized, condition.LegacyRunning, condition.LegacyError,
}

// waits reports whether an object waits for something without an error.
func waits(ready metav1.Condition) bool { return ready.Reason == condition.ReasonProgressing }

// Secret is the connection Secret of an object: its name, and whether it is published.
type Secret struct {
	Name  string
	State metav1.Condition
}

// Secret returns the connection Secret. There is none for a kind that publishes none, or where the spec disables it. Until the operator has
// tried to publish it, what keeps the object from that is in Ready; for aero-operator.io, Ready is always about the Secret.
func (o *Object) Secret() (Secret, bool) {
	state, own := o.Condition(condition.SecretReady), o.APIVersion == aero.GroupVersion.String()
	if own || state == nil && o.publishes() {
		ready := o.Ready()
		state = &ready
	}
	disabled := o.Spec.ConnInfoSecretTargetDisabled
	if state == nil || state.Reason == condition.ReasonDisabled || disabled != nil && *disabled {
		return Secret{}, false
	}
	name := cmp.Or(o.Spec.ConnInfoSecretTarget.Name, o.Spec.Target.Name, o.Name)
	if o.Status.Binding != nil {
		name = o.Status.Binding.Name
	}
	return Secret{Name: name, State: *state}, true
}

// types are the Go types of the kinds of aiven.io.
var types = sync.OnceValue(func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	return scheme
})

// publishes reports whether objects of the kind have a connection Secret, which their status only has after the first attempt.
func (o *Object) publishes() bool {
	empty, err := types().New(v1alpha1.GroupVersion.WithKind(o.Kind))
	if err != nil {
		return false // a kind that came later
	}
	_, publishes := empty.(interface{ GetSecretFields() *v1alpha1.SecretFields })
	return publishes
}

// SecretPrefix is what the keys of the connection Secret begin with.
func (o *Object) SecretPrefix() string {
	if prefix := o.Spec.ConnInfoSecretTarget.Prefix; prefix != "" {
		return prefix
	}
	return strings.ToUpper(o.Kind) + "_"
}
