package rotation

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/store"
)

// begin stores a pending password. The request is read live before: a cache that is behind may show one that is handled.
func (s *step) begin(ctx context.Context) (string, error) {
	live := reflect.New(reflect.TypeOf(s.Object).Elem()).Interface().(Object)
	if err := s.Publisher.Reader.Get(ctx, client.ObjectKeyFromObject(s.Object), live); err != nil {
		return "", cmp.Or(client.IgnoreNotFound(err), store.ErrStale)
	}
	same := live.GetUID() == s.Object.GetUID() && live.GetDeletionTimestamp() == nil &&
		live.GetCommonStatus().LastHandledRotateAt == s.Object.GetCommonStatus().LastHandledRotateAt
	for _, name := range []string{annotation.RotateRequested, annotation.RotationInterval, annotation.Paused, annotation.Management} {
		same = same && live.GetAnnotations()[name] == s.Object.GetAnnotations()[name]
	}
	if !same {
		return "", store.ErrStale
	}
	if blocked, err := s.isUnpublishable(ctx); blocked {
		return "", err
	}
	pending, err := s.Publisher.StorePending(ctx, s.owner, s.target, connection.Pending{Password: rand.Text(), Request: s.request}, s.password())
	if err != nil {
		return "", err
	}
	return s.set(pending), nil
}

// set is the password that is to be set at Aiven, and published then.
func (s *step) set(pending *connection.Pending) string {
	s.out.Request, s.out.Publishes, s.out.Tidies = pending.Request, true, true
	return pending.Password
}

// isUnpublishable reports whether the connection Secret can't have another password, and records why if that lasts until a user acts: once set
// at Aiven, no application would know it. The error is of a check that has failed.
func (s *step) isUnpublishable(ctx context.Context) (bool, error) {
	details := s.Details
	details.Password = connection.Missing
	err := s.Publisher.DryRun(ctx, s.Object, s.Kind, s.target, details)
	if connection.IsLasting(err) {
		_, err = s.refuse("the connection Secret can't have another one: " + errors.Unwrap(err).Error())
		return true, err
	}
	return err != nil, err
}
