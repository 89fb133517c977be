package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

const days = 24 * time.Hour

// in is a time so long after the one at which an object of these tests begins.
func in(d time.Duration) *metav1.Time {
	return &metav1.Time{Time: newObject(false).now.Add(d)}
}

// publishedWith is an object whose Secret holds these credentials.
func publishedWith(c *v1alpha1.Credentials) finding {
	return all(inSync, func(f *Facts) {
		f.Timings.ExpiryWarning = 30 * days
		f.Secret = Secret{Applies: true, Published: true, Name: "orders", Credentials: c}
	})
}

// expiring is the condition as "reason: message"; empty if there is none.
func expiring(c *Conclusion) string {
	for _, found := range c.Status.Conditions {
		if found.Type == condition.CredentialsExpiring {
			return string(found.Status) + " " + found.Reason + ": " + found.Message
		}
	}
	return ""
}

func TestCredentialsThatEndSoonAreACondition(t *testing.T) {
	for name, tc := range map[string]struct {
		credentials *v1alpha1.Credentials
		after       time.Duration // until the reconcile
		want        string
	}{
		"none is known":                {},
		"one ends in a year":           {credentials: &v1alpha1.Credentials{CertificateNotAfter: in(365 * days)}},
		"a second before the warning":  {credentials: &v1alpha1.Credentials{CertificateNotAfter: in(30*days + time.Second)}},
		"a password has no end at all": {credentials: &v1alpha1.Credentials{PasswordUpdatedAt: in(-1000 * days)}},
		"from the warning on": {
			credentials: &v1alpha1.Credentials{CertificateNotAfter: in(30 * days)},
			want:        "True Expiring: The client certificate is valid until 2026-05-31T12:00:00Z, and Aiven hasn't renewed it",
		},
		"after the end": {
			credentials: &v1alpha1.Credentials{CANotAfter: in(days)}, after: days,
			want: "True Expired: The certificate of the project's CA has expired at 2026-05-02T12:00:00Z, and Aiven hasn't renewed it",
		},
		"while the previous certificate is valid": {
			credentials: &v1alpha1.Credentials{CertificateNotAfter: in(820 * days), ExpiringCertificateNotAfter: in(90 * days)},
			want:        "True Renewed: The previous client certificate is valid until 2026-07-30T12:00:00Z: have all clients read the Secret again",
		},
		"once the previous certificate has ended": {
			credentials: &v1alpha1.Credentials{CertificateNotAfter: in(820 * days), ExpiringCertificateNotAfter: in(90 * days)}, after: 90 * days,
		},
		"several at once": {
			credentials: &v1alpha1.Credentials{CertificateNotAfter: in(-days), ExpiringCertificateNotAfter: in(days)},
			want: "True Expired: The client certificate has expired at 2026-04-30T12:00:00Z, and Aiven hasn't renewed it. " +
				"The previous client certificate is valid until 2026-05-02T12:00:00Z: have all clients read the Secret again",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newObject(false)
			o.now = o.now.Add(tc.after)
			c := o.reconcile(t, publishedWith(tc.credentials))
			assert.Equal(t, tc.want, expiring(&c))
			got := columnsOf(&c)
			assert.Equal(t, "True/ReconciliationSucceeded", got.ready, "Ready isn't about it")
			assert.Empty(t, got.activity, "kstatus isn't, either")
			assert.Equal(t, "Ready", got.phase)
		})
	}
}

func TestTheConditionOfCredentialsChangesAtItsTimeWithoutAnyEvent(t *testing.T) {
	o := newObject(false)
	finds := publishedWith(&v1alpha1.Credentials{CertificateNotAfter: in(30*days + 5*time.Second), ExpiringCertificateNotAfter: in(8 * time.Second)})
	var reasons []string
	var delays []time.Duration
	for range 3 {
		c := o.reconcile(t, finds)
		reasons, delays = append(reasons, expiring(&c)), append(delays, c.Result.RequeueAfter)
		o.now = o.now.Add(c.Result.RequeueAfter)
	}
	assert.Equal(t, []time.Duration{5 * time.Second, 3 * time.Second, timings.Poll}, delays)
	assert.Contains(t, reasons[0], "Renewed")
	assert.Contains(t, reasons[1], "Expiring")
	assert.Contains(t, reasons[2], "Expiring")
	assert.NotContains(t, reasons[2], "previous client certificate")

	c := o.reconcile(t, publishedWith(&v1alpha1.Credentials{CertificateNotAfter: in(820 * days)}))
	assert.Empty(t, expiring(&c), "renewed")
}

func TestCredentialsAreThoseOfAPublishedSecret(t *testing.T) {
	known := &v1alpha1.Credentials{CertificateNotAfter: in(365 * days), PasswordUpdatedAt: in(0)}
	newer := &v1alpha1.Credentials{CertificateNotAfter: in(730 * days)}
	renewed := &v1alpha1.Credentials{CertificateNotAfter: in(820 * days), ExpiringCertificateNotAfter: in(90 * days)}
	seen := &v1alpha1.Credentials{CertificateNotAfter: in(820 * days), ExpiringCertificateNotAfter: in(90 * days), RenewedAt: in(0)}
	anHourLater := func(f *Facts) { f.Now = f.Now.Add(time.Hour) }
	became := func(s Secret) finding {
		s.Applies, s.Name, s.Credentials = true, "orders", newer
		return all(publishedWith(newer), secret(s))
	}
	for name, tc := range map[string]struct {
		given []finding
		when  finding
		want  *v1alpha1.Credentials
	}{
		"it is published":                {nil, publishedWith(known), known},
		"it is published with others":    {[]finding{publishedWith(known)}, publishedWith(newer), newer},
		"no longer known":                {[]finding{publishedWith(known)}, publishedWith(nil), nil},
		"its certificate is renewed":     {nil, publishedWith(renewed), seen},
		"that renewal is seen again":     {[]finding{publishedWith(renewed)}, all(publishedWith(renewed), anHourLater), seen},
		"it is disabled":                 {nil, became(Secret{Disabled: true}), nil},
		"it is withheld":                 {nil, became(Secret{Withheld: true}), nil},
		"it can't be written":            {nil, became(Secret{Err: assert.AnError}), nil},
		"it can't be written again":      {[]finding{publishedWith(known)}, became(Secret{Err: assert.AnError}), known},
		"it became another's":            {[]finding{publishedWith(known)}, became(Secret{Err: assert.AnError, Conflict: true}), nil},
		"Aiven returns no details":       {[]finding{publishedWith(known)}, became(Secret{}), known},
		"the resource can't be observed": {[]finding{publishedWith(known)}, observeFails(assert.AnError), known},
		"it exists, and isn't owned":     {nil, refuses(condition.ReasonAlreadyExists, ""), nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := newObject(false)
			for _, given := range tc.given {
				o.reconcile(t, given)
			}
			c := o.reconcile(t, tc.when)
			require.Equal(t, tc.want, c.Status.Credentials)
		})
	}
}
