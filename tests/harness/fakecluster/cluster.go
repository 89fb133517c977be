package fakecluster

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/config"
)

// Cluster has the controllers, and what they work on.
type Cluster struct {
	client.WithWatch // of users, who may do everything

	config      config.Config
	kinds       []controllers.Registration
	lists       *lists
	operator    map[reflect.Type]reconcile.Reconciler // by the kind of their objects
	tokenSecret reconcile.Reconciler
	recorder    manager.Runnable
	requests    []Request
	schemas     schemas
}

// readers are the objects of the kinds that only read what others publish, in the order of their controllers.
func readers() []client.Object {
	return []client.Object{&aero.ConnectionSecret{}, &aero.ServiceUserRotation{}}
}

// New sets up the controllers of some kinds, whose CRDs are in a folder.
func New(c config.Config, crds string, kinds ...controllers.Registration) (*Cluster, error) {
	schemas, err := readSchemas(crds)
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(v1alpha1.AddToScheme(scheme), aero.AddToScheme(scheme), corev1.AddToScheme(scheme), eventsv1.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("registering kinds: %w", err)
	}
	withStatus := readers()
	for _, kind := range kinds {
		withStatus = append(withStatus, kind.GetObject())
	}
	cluster := &Cluster{config: c, kinds: kinds, lists: newLists(), schemas: schemas}
	objects := fake.NewClientBuilder().WithScheme(scheme).WithReturnManagedFields().WithStatusSubresource(withStatus...).Build()
	cluster.WithWatch = interceptor.NewClient(objects, cluster.lists.writes())
	return cluster, cluster.Restart()
}

// WriteEvents writes the events that the operator has reported. Nothing else writes them.
func (c *Cluster) WriteEvents(ctx context.Context) error {
	ended, end := context.WithCancel(ctx) // in which the recorder only writes what is left
	end()
	return c.recorder.Start(ended)
}

// Restart sets up the controllers, which have no memory then, and the same objects. Events that aren't written are lost.
func (c *Cluster) Restart() error {
	m := &collector{scheme: c.Scheme(), mapper: newMapper(c.Scheme()), client: interceptor.NewClient(c.WithWatch, c.spy()), lists: c.lists}
	if err := controllers.Setup(m, c.config, c.kinds...); err != nil {
		return err
	}
	c.operator = map[reflect.Type]reconcile.Reconciler{}
	for i, kind := range c.kinds {
		c.operator[reflect.TypeOf(kind.GetObject())] = m.controllers[i]
	}
	for i, reader := range readers() { // whose controllers are the last
		c.operator[reflect.TypeOf(reader)] = m.controllers[len(m.controllers)-len(readers())+i]
	}
	c.tokenSecret, c.recorder = m.controllers[len(c.kinds)], m.recorder
	return nil
}

// Reconcile reconciles an object once, and returns what the operator asked of the API server for that. The error is that of the
// reconcile.
func (c *Cluster) Reconcile(ctx context.Context, obj client.Object) ([]Request, error) {
	controller := c.operator[reflect.TypeOf(obj)]
	if _, isSecret := obj.(*corev1.Secret); isSecret {
		controller = c.tokenSecret
	}
	c.requests = nil
	_, err := controller.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(obj)})
	return c.requests, err
}

// Create creates an object as an API server does it: with a UID, a time and the default of a status, whatever the manifest has.
func (c *Cluster) Create(ctx context.Context, obj client.Object) error {
	born(obj)
	if ours, isOurs := obj.(interface{ GetCommonStatus() *v1alpha1.CommonStatus }); isOurs {
		reflect.ValueOf(obj).Elem().FieldByName("Status").SetZero()
		ours.GetCommonStatus().ObservedGeneration = -1
	}
	return c.WithWatch.Create(ctx, obj)
}

// born sets what an object gets at its creation.
func born(obj client.Object) {
	obj.SetUID(uuid.NewUUID())
	obj.SetGeneration(1)
	obj.SetCreationTimestamp(metav1.NewTime(time.Now()).Rfc3339Copy())
	obj.SetResourceVersion("")
}

// Change edits what a user may edit of an object: all but its status.
func (c *Cluster) Change(ctx context.Context, obj client.Object, edit func() error) error {
	if err := c.Get(ctx, client.ObjectKeyFromObject(obj), obj); err != nil {
		return err
	}
	before := obj.DeepCopyObject()
	if err := edit(); err != nil {
		return err
	}
	if err := c.schemas.allows(before, obj); err != nil {
		return err
	}
	if !equality.Semantic.DeepEqual(specOf(before), specOf(obj)) {
		obj.SetGeneration(obj.GetGeneration() + 1)
	}
	return c.Update(ctx, obj)
}

// CollectGarbage deletes the Secrets of an object that is gone.
func (c *Cluster) CollectGarbage(ctx context.Context, owner client.Object) error {
	var secrets corev1.SecretList
	err := c.List(ctx, &secrets, client.InNamespace(owner.GetNamespace()))
	for i := range secrets.Items {
		if metav1.IsControlledBy(&secrets.Items[i], owner) {
			err = errors.Join(err, c.Delete(ctx, &secrets.Items[i]))
		}
	}
	return err
}

func specOf(obj runtime.Object) any {
	spec := reflect.ValueOf(obj).Elem().FieldByName("Spec")
	if !spec.IsValid() {
		return nil
	}
	return spec.Interface()
}

// Request is what the operator has asked of the API server.
type Request struct {
	Verb string // get, create, patch, delete, or that of a subresource: patch/status
	Kind string // of the Go type, or of metadata
	types.NamespacedName
}

// Writes reports whether it asks for a change.
func (r Request) Writes() bool { return r.Verb != "get" }

func (r Request) String() string { return r.Verb + " " + r.Kind + " " + r.NamespacedName.String() }

func (c *Cluster) note(verb string, obj client.Object) {
	if _, isEvent := obj.(*eventsv1.Event); isEvent { // which belongs to no reconcile, and isn't written alone
		return
	}
	c.requests = append(c.requests, Request{verb, kindOf(obj), client.ObjectKeyFromObject(obj)})
}

func kindOf(obj client.Object) string {
	kind := reflect.TypeOf(obj).Elem().Name()
	if kind == "PartialObjectMetadata" || kind == "Unstructured" {
		return obj.GetObjectKind().GroupVersionKind().Kind
	}
	return kind
}

// applied are the names that an object has that is applied.
type applied interface {
	GetNamespace() *string
	GetName() *string
	GetKind() *string
}

// spy writes down what the operator asks for. Lists come from its cache, and are no requests.
func (c *Cluster) spy() interceptor.Funcs {
	return interceptor.Funcs{
		Get: func(ctx context.Context, to client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			obj.SetNamespace(key.Namespace)
			obj.SetName(key.Name)
			c.note("get", obj)
			return to.Get(ctx, key, obj, opts...)
		},
		Create: func(ctx context.Context, to client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			born(obj)
			c.note("create", obj)
			return to.Create(ctx, obj, opts...)
		},
		Delete: func(ctx context.Context, to client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
			c.note("delete", obj)
			return to.Delete(ctx, obj, opts...)
		},
		Patch: func(ctx context.Context, to client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			c.note("patch", obj)
			return to.Patch(ctx, obj, patch, opts...)
		},
		Apply: func(ctx context.Context, to client.WithWatch, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			named := obj.(applied)
			c.requests = append(c.requests, Request{"patch", *named.GetKind(), types.NamespacedName{Namespace: *named.GetNamespace(), Name: *named.GetName()}})
			if options := (&client.ApplyOptions{}).ApplyOptions(opts); len(options.DryRun) > 0 {
				return nil // the fake would write
			}
			return to.Apply(ctx, obj, opts...)
		},
		SubResourcePatch: func(ctx context.Context, to client.Client, sub string, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			c.note("patch/"+sub, obj)
			return to.SubResource(sub).Patch(ctx, obj, patch, opts...)
		},
	}
}
