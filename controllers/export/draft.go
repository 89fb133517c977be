package export

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/oneshot"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// draft is an object that is exported.
type draft struct {
	obj     controllers.Object
	service string // that it is, or is in
	what    string // it is at Aiven: unique, and the beginning of a line about it
	real    string // its name at Aiven, or what a name is made of
	// fixed is set for objects that have to have the name at Aiven.
	fixed bool
	// twins is set for what Aiven may have several times without a difference to an object, which manages one: there is nothing to note.
	twins bool
	// rename sets the field for the name at Aiven, where the object has another name; nil for kinds whose spec has it anyway.
	rename func(real string)
	// values are those of the Secret that the object reads, and that the user has to create; nil for most.
	values map[string][]byte
	notes  []Note

	unnamed string // why it can't have a name; empty if it has one
	observe func(ctx context.Context) (controllers.Observation, error)
}

// secret is where the object publishes; nil for kinds that publish nothing.
func (d *draft) secret() *v1alpha1.SecretFields {
	if publisher, publishes := d.obj.(interface {
		GetSecretFields() *v1alpha1.SecretFields
	}); publishes && !ptr.Deref(publisher.GetSecretFields().ConnInfoSecretTargetDisabled, false) {
		return publisher.GetSecretFields()
	}
	return nil
}

// note is about a field of the object, which the manifest has as a comment.
func (d *draft) note(path, text string) {
	d.notes = append(d.notes, Note{d.what + ": " + path, text})
}

// add drafts an object of a kind. It is compared by the kind's own controller.
func add[T controllers.Object](e *exporter, kind controllers.Kind[T], obj T, d draft) {
	name := kindOf(obj)
	if !e.wants(name) {
		return
	}
	if e.memories[name] == nil {
		e.memories[name] = &sync.Map{}
	}
	if unique := name + " " + d.what; !e.drafted[unique] {
		e.drafted[unique] = true
	} else {
		if !d.twins {
			e.leave(d.what, "Aiven has another one that is the same to an object, which manages one")
		}
		return
	}
	d.obj = obj
	d.observe = func(ctx context.Context) (controllers.Observation, error) {
		env := controllers.Env{
			Client: e.client, Memory: e.memories[name], Siblings: func(context.Context) ([]client.Object, error) { return nil, nil },
		}
		return kind.Observe(ctx, &env, reference.Resolver{Reader: secretReader(d.values)}, obj)
	}
	e.drafts = append(e.drafts, &d)
}

// secretReader is the only Secret that a draft reads.
type secretReader map[string][]byte

// Get implements client.Reader.
func (s secretReader) Get(_ context.Context, key types.NamespacedName, obj client.Object, _ ...client.GetOption) error {
	secret, is := obj.(*corev1.Secret)
	if !is || s == nil {
		return apierrors.NewNotFound(corev1.Resource("secrets"), key.Name)
	}
	secret.Name, secret.Namespace, secret.UID, secret.Data = key.Name, key.Namespace, "exported", s
	return nil
}

// List implements client.Reader.
func (s secretReader) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return fmt.Errorf("an export lists no objects")
}

// verify compares an object with Aiven as its controller does before a write.
func (e *exporter) verify(ctx context.Context, d *draft) {
	o, err := oneshot.Repeat(ctx, d.observe)
	service := status.DecisiveService(o.Services)
	switch {
	case fault.Is(err, fault.Forbidden, fault.Unauthorized, fault.RateLimited, fault.NotReady, fault.Server, fault.Network, fault.Timeout):
		e.unread(d.what, err)
	case err != nil:
		e.differ(d, fault.Of(err).Message)
	case service != nil && service.Exists && !service.Usable:
		e.result.Uncompared = append(e.result.Uncompared, Note{d.what, "service " + service.Name + " is " + service.State})
	case o.WaitFor != "" && len(o.Diff) == 0:
		e.result.Uncompared = append(e.result.Uncompared, Note{d.what, o.WaitFor})
	case !o.Remote.Exists:
		e.differ(d, "the controller of the kind doesn't find it at Aiven")
	}
	for _, entry := range append(o.Diff, o.Newer...) {
		e.differ(d, fmt.Sprintf("%s is %q in the manifest, and %q at Aiven", entry.Path, entry.Wanted, entry.Found))
	}
}

func (e *exporter) differ(d *draft, text string) {
	e.result.Differences = append(e.result.Differences, Note{d.what, text})
}
