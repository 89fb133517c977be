package store

import (
	"cmp"
	"context"
	"fmt"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

// Object is an object with the part of the status that all kinds share.
type Object interface {
	client.Object
	GetCommonStatus() *v1alpha1.CommonStatus
}

// Writer writes the status and the annotations of one object during one reconcile.
type Writer[T Object] struct {
	store  *Store[T]
	before T // as it was read
	stored T // as it was written last
}

// Writer returns the Writer of an object as it was read. It never changes that copy.
func (s *Store[T]) Writer(before T) *Writer[T] {
	return &Writer[T]{store: s, before: before, stored: before}
}

// Conclusion is what a reconcile has concluded.
type Conclusion struct {
	Deferred    bool // nothing is written
	Status      v1alpha1.CommonStatus
	Annotations map[string]*string // nil removes one
	WasReady    bool               // the object has been usable before
}

// WriteConclusion writes a conclusion in an order in which no reader of the annotations or of the status sees Ready
// together with something old: first the kind's own status fields, then the annotations, then the status that says Ready.
// What is up to date isn't written, so most reconciles write once or not at all; and an object that was never usable has
// nothing old to show. obj is the working copy, with the kind's own status fields.
func (w *Writer[T]) WriteConclusion(ctx context.Context, obj T, c Conclusion) error {
	if c.Deferred {
		return nil
	}
	withholdNotices(obj, &c.Status)
	annotations := ChangedAnnotations(w.before, c.Annotations)
	if len(annotations) > 0 {
		if c.WasReady {
			if err := w.WriteOwnFields(ctx, obj); err != nil {
				return err
			}
		}
		if err := w.store.PatchAnnotations(ctx, w.before, annotations); err != nil {
			return err
		}
	}
	*obj.GetCommonStatus() = c.Status
	return w.store.PatchStatus(ctx, w.stored, obj)
}

// withholdNotices keeps what Aiven announces of a service out of the status of an object that neither owns nor observes it.
func withholdNotices(obj client.Object, status *v1alpha1.CommonStatus) {
	service, is := obj.(interface {
		GetServiceStatus() *v1alpha1.ServiceStatus
	})
	ready, provenance := apimeta.FindStatusCondition(status.Conditions, condition.Ready), status.Provenance
	foreign := ready != nil && (ready.Reason == condition.ReasonAlreadyExists || ready.Reason == condition.ReasonConflict)
	if is && (foreign || provenance == nil || provenance.UID != obj.GetUID()) {
		service.GetServiceStatus().ServiceNotices = v1alpha1.ServiceNotices{}
	}
}

// WriteRecord writes what record changes in the status, such as how the object came to own its resource, and leaves the rest as it is.
func (w *Writer[T]) WriteRecord(ctx context.Context, record func(T)) error {
	next := w.stored.DeepCopyObject().(T)
	record(next)
	if err := w.store.PatchStatus(ctx, w.stored, next); err != nil {
		return err
	}
	w.stored = next
	return nil
}

// RestoreProvenance writes back, and returns, the provenance that the object was read with.
func (w *Writer[T]) RestoreProvenance(ctx context.Context) (*v1alpha1.Provenance, error) {
	former := w.before.GetCommonStatus().Provenance
	return former, w.WriteRecord(ctx, func(obj T) { obj.GetCommonStatus().Provenance = former })
}

// WriteIntent writes the kind's own status fields before a write at Aiven that can't be found again without them.
func (w *Writer[T]) WriteIntent(ctx context.Context, obj T) error {
	if err := w.WriteOwnFields(ctx, obj); err != nil {
		return fmt.Errorf("recording what is going to be written at Aiven: %w", err)
	}
	return nil
}

// WriteIdentity stores the kind's own status fields where what was observed changes which resource an object means, and returns ErrStale then:
// who owns this resource is checked first.
func (w *Writer[T]) WriteIdentity(ctx context.Context, obj T, resource func(client.Object) string) error {
	if resource(obj) == resource(w.before) {
		return nil
	}
	return cmp.Or(w.WriteOwnFields(ctx, obj), ErrStale)
}

// WriteOwnFields writes the kind's own status fields of the working copy, and leaves those of all kinds as they are.
func (w *Writer[T]) WriteOwnFields(ctx context.Context, obj T) error {
	*obj.GetCommonStatus() = *w.stored.GetCommonStatus().DeepCopy()
	if err := w.store.PatchStatus(ctx, w.stored, obj); err != nil {
		return err
	}
	w.stored = obj.DeepCopyObject().(T)
	return nil
}
