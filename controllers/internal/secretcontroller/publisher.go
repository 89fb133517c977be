package secretcontroller

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/connection"
)

// publisher publishes by the rules of all connection Secrets: one of another owner is left alone, and so is what others add to ours.
type publisher struct{ connection.Publisher }

// Publish implements Publisher.
func (p publisher) Publish(ctx context.Context, owner *aero.ConnectionSecret, secretType corev1.SecretType, data map[string][]byte) error {
	_, err := p.PublishData(ctx, owner, kind, connection.Target{
		Name: owner.GetSecretName(), Field: "spec.target", Type: secretType,
		Labels: owner.Spec.Target.Labels, Annotations: owner.Spec.Target.Annotations,
	}, data)
	return err // it is the message of a condition
}
