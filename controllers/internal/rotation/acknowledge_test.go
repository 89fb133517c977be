package rotation

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/status"
)

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

func TestARenewalIsAcknowledgedOnceTheSecretHadItForLongEnough(t *testing.T) {
	at := func(d time.Duration) *metav1.Time { return &metav1.Time{Time: noon.Add(d)} }
	const day, refused = 24 * time.Hour, "Aiven refuses it"
	for name, tc := range map[string]struct {
		annotation string // empty for none
		was, is    *v1alpha1.Credentials
		observes   bool
		plan       plan.Action
		fails      bool
		calls      int
		after      time.Duration
		reason     string
	}{
		"it isn't asked for":     {was: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day), RenewedAt: at(-8 * day)}, is: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day)}},
		"it is time":             {annotation: "168h", was: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day), RenewedAt: at(-7 * day)}, is: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day)}, calls: 1},
		"at once":                {annotation: "0s", was: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day), RenewedAt: at(0)}, is: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day)}, calls: 1},
		"it isn't time":          {annotation: "168h", was: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day), RenewedAt: at(-6 * day)}, is: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day)}, after: day},
		"nothing was renewed":    {annotation: "168h", was: &v1alpha1.Credentials{}, is: &v1alpha1.Credentials{}},
		"nothing is published":   {annotation: "168h", is: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day)}},
		"another was published":  {annotation: "168h", was: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(0), RenewedAt: at(-8 * day)}, is: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day)}},
		"it is acknowledged":     {annotation: "168h", was: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day), RenewedAt: at(-8 * day), RenewalAcknowledgedFor: at(day)}, is: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day)}},
		"it observes only":       {annotation: "168h", was: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day), RenewedAt: at(-8 * day)}, is: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day)}, observes: true},
		"there is more to do":    {annotation: "168h", was: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day), RenewedAt: at(-8 * day)}, is: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day)}, plan: plan.Update},
		"it is refused":          {annotation: "168h", was: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day), RenewedAt: at(-8 * day)}, is: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day)}, fails: true, calls: 1, reason: "RenewalNotAcknowledged"},
		"of a time that is none": {annotation: "a week", was: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day), RenewedAt: at(-8 * day)}, is: &v1alpha1.Credentials{ExpiringCertificateNotAfter: at(day)}, reason: "RenewalNotAcknowledged"},
	} {
		t.Run(name, func(t *testing.T) {
			obj := &v1alpha1.ServiceUser{}
			obj.Status.Credentials = tc.was
			if tc.annotation != "" {
				obj.Annotations = map[string]string{"controllers.aiven.io/acknowledge-renewal-after": tc.annotation}
			}
			calls := 0
			r := Rotation{Object: obj, Plan: plan.None, Details: connection.Info{Credentials: tc.is}, Acknowledge: func(context.Context) error {
				if calls++; tc.fails {
					return errors.New(refused)
				}
				return nil
			}}
			if tc.plan != "" {
				r.Plan = tc.plan
			}
			facts := &status.Facts{Now: noon, ObserveOnly: tc.observes, Rotation: &status.Rotation{}}
			r.acknowledge(t.Context(), facts)
			assert.Equal(t, tc.calls, calls)
			assert.Equal(t, tc.calls == 1 && !tc.fails, facts.Rotation.Acknowledged)
			assert.Equal(t, tc.after, facts.Rotation.After)
			assert.Equal(t, tc.reason, facts.Rotation.Reason)
			require.NoError(t, facts.MutateErr, "the object is as ready as before")
			if tc.fails {
				assert.Equal(t, "The renewal of the client certificate isn't acknowledged: Aiven refuses it. It is tried again at the next poll", facts.Rotation.Message)
			}
		})
	}
}

func TestAnAcknowledgementThatWaitsForItsTurnIsMadeThen(t *testing.T) {
	obj := &v1alpha1.ServiceUser{}
	obj.Annotations = map[string]string{"controllers.aiven.io/acknowledge-renewal-after": "0s"}
	until := &metav1.Time{Time: noon.Add(time.Hour)}
	obj.Status.Credentials = &v1alpha1.Credentials{ExpiringCertificateNotAfter: until, RenewedAt: &metav1.Time{Time: noon}}
	r := Rotation{
		Object: obj, Plan: plan.None, Details: connection.Info{Credentials: &v1alpha1.Credentials{ExpiringCertificateNotAfter: until}},
		Acknowledge: func(context.Context) error { return fault.NoTurn("ServiceUserCredentialsModify", 7*time.Second) },
	}
	facts := &status.Facts{Now: noon, Rotation: &status.Rotation{}}
	r.acknowledge(t.Context(), facts)
	assert.Equal(t, &status.Rotation{After: 7 * time.Second}, facts.Rotation)
}
