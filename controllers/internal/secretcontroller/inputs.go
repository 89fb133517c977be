package secretcontroller

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// KeyOf names the source of an object.
func KeyOf(obj *aero.ConnectionSecret) connectionsecret.Key {
	return connectionsecret.Key{
		Kind:           obj.Spec.SourceRef.Kind,
		NamespacedName: types.NamespacedName{Namespace: obj.GetSourceNamespace(), Name: obj.Spec.SourceRef.Name},
	}
}

// source returns what the source connects with. Whether it exists isn't looked up before the grant.
func (r *Reconciler) source(ctx context.Context, obj *aero.ConnectionSecret) (connectionsecret.Source, error) {
	none, key := connectionsecret.Source{}, KeyOf(obj)
	if err := r.permit(ctx, obj, "spec.sourceRef", key.Kind, key.Name); err != nil {
		return none, err
	}
	name := key.Kind + " " + key.NamespacedName.String()
	found, err := r.find(ctx, key)
	if apierrors.IsNotFound(err) || err == nil && found.GetDeletionTimestamp() != nil {
		return none, &connectionsecret.MissingError{Field: "spec.sourceRef", Target: name}
	}
	if err != nil {
		return none, err
	}
	if err := CheckLogin(key, found); err != nil {
		return none, err // it names the source
	}
	source, err := r.Known.Of(key, found.GetUID())
	if wait := (*connectionsecret.WaitError)(nil); errors.As(err, &wait) && !wait.Observed {
		r.Ask(key)
	}
	return source, err // it names the source
}

// CheckLogin returns an error if the login of a source is of no use, because its resource is gone at Aiven.
func CheckLogin(key connectionsecret.Key, source client.Object) error {
	if !lost(source) {
		return nil
	}
	return &connectionsecret.WaitError{For: key.Kind + " " + key.NamespacedName.String() + " to connect. Its own status has the reason", Observed: true}
}

// lost reports whether the resource of a source is gone at Aiven, by itself or with its service: its login is of no use. What isn't created
// yet counts, too: it has no login.
func lost(source client.Object) bool {
	of, is := source.(interface{ GetCommonStatus() *v1alpha1.CommonStatus })
	if !is {
		return false
	}
	conditions := of.GetCommonStatus().Conditions
	ready, remote := apimeta.FindStatusCondition(conditions, condition.Ready), apimeta.FindStatusCondition(conditions, condition.RemoteReady)
	return ready != nil && ready.Reason == condition.ReasonRemoteMissing || remote != nil && remote.Reason == condition.ReasonMissing
}

// permit is an error unless the object may read another one in the namespace of its source.
func (r *Reconciler) permit(ctx context.Context, obj *aero.ConnectionSecret, field, kind, name string) error {
	namespace := obj.GetSourceNamespace()
	if namespace == obj.Namespace {
		return nil
	}
	refused := &connectionsecret.GrantError{Field: field, Kind: kind, Namespace: namespace, From: obj.Namespace}
	switch grants, err := r.Grants(ctx, namespace); {
	case errors.Is(err, ErrUnserved):
		refused.Unserved = true
		return refused
	case errors.Is(err, ErrUnread):
		return &connectionsecret.WaitError{For: "the ReferenceGrants of the cluster", Unwatched: true}
	case err != nil:
		return fmt.Errorf("listing ReferenceGrants of the namespace %s: %w", namespace, err)
	case !connectionsecret.Permitted(obj, kind, name, grants):
		return refused
	default:
		return nil
	}
}

// find reads an object of the group aiven.io from the cache.
func (r *Reconciler) find(ctx context.Context, key connectionsecret.Key) (client.Object, error) {
	made, err := r.Client.Scheme().New(v1alpha1.GroupVersion.WithKind(key.Kind))
	if err != nil {
		return nil, fault.InvalidSpec("spec.sourceRef.kind", key.Kind+" isn't served")
	}
	found, is := made.(client.Object)
	if !is {
		return nil, fault.InvalidSpec("spec.sourceRef.kind", key.Kind+" isn't served")
	}
	if err := r.Client.Get(ctx, key.NamespacedName, found); err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", key.Kind, key.NamespacedName, err)
	}
	return found, nil
}

// database is the name at Aiven of the one that the spec names; empty for that of the source. A reference is to the namespace
// of the source, so it needs a grant as the source does, and to its service: another one's database has the same name only by chance.
func (r *Reconciler) database(ctx context.Context, obj *aero.ConnectionSecret) (string, error) {
	if obj.Spec.DatabaseRef == nil {
		return obj.Spec.Database, nil
	}
	source, err := r.find(ctx, KeyOf(obj))
	if err != nil {
		return "", err
	}
	key := types.NamespacedName{Namespace: obj.GetSourceNamespace(), Name: obj.Spec.DatabaseRef.Name}
	kind, found := "Database", client.Object(&v1alpha1.Database{})
	switch source.(type) {
	case *v1alpha1.Clickhouse, *v1alpha1.ClickhouseUser:
		kind, found = "ClickhouseDatabase", &v1alpha1.ClickhouseDatabase{}
	}
	if err := r.permit(ctx, obj, "spec.databaseRef", kind, key.Name); err != nil {
		return "", err
	}
	switch err := r.Client.Get(ctx, key, found); {
	case apierrors.IsNotFound(err):
		return "", &connectionsecret.MissingError{Field: "spec.databaseRef", Target: fmt.Sprintf("%s %s", kind, key)}
	case err != nil:
		return "", fmt.Errorf("reading %s %s: %w", kind, key, err)
	case serviceOf(found) != serviceOf(source):
		return "", fault.InvalidSpec("spec.databaseRef", fmt.Sprintf("%s %s isn't of the service of the source", kind, key))
	}
	return found.(interface{ GetDatabaseName() string }).GetDatabaseName(), nil
}

// service is one at Aiven.
type service struct{ project, name string }

// serviceOf is the service that an object is, or lives in.
func serviceOf(obj client.Object) service {
	switch in := obj.(type) {
	case interface {
		GetServiceDependant() *v1alpha1.ServiceDependant
	}:
		of := in.GetServiceDependant()
		return service{of.Project, of.ServiceName}
	case interface {
		GetProjectDependant() *v1alpha1.ProjectDependant
	}:
		return service{in.GetProjectDependant().Project, obj.GetName()}
	default:
		return service{}
	}
}

// keystores are none if the spec asks for none.
func (r *Reconciler) keystores(ctx context.Context, obj *aero.ConnectionSecret, values connectionsecret.Values) (map[string][]byte, error) {
	if obj.Spec.Keystore == nil {
		return nil, nil
	}
	ref := obj.Spec.Keystore.PasswordSecretRef
	key := types.NamespacedName{Namespace: obj.Namespace, Name: ref.Name}
	if ref.Name == obj.GetSecretName() {
		return nil, fault.InvalidSpec("spec.keystore.passwordSecretRef", "Secret "+key.String()+" is the one that receives the key stores. Name another Secret")
	}
	secret := &corev1.Secret{}
	err := r.Live.Get(ctx, key, secret)
	password, has := secret.Data[ref.Key]
	switch {
	case apierrors.IsNotFound(err):
		return nil, &connectionsecret.MissingError{Field: "spec.keystore.passwordSecretRef.name", Target: "Secret " + key.String()}
	case err != nil:
		return nil, fmt.Errorf("reading Secret %s: %w", key, err)
	case !has:
		return nil, &connectionsecret.MissingError{Field: "spec.keystore.passwordSecretRef.key", Target: fmt.Sprintf("the key %s of Secret %s", ref.Key, key)}
	}
	return values.Keystores(string(password)) // it is the message of a condition
}
