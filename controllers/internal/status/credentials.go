package status

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

// credentials are the dates of what the connection Secret holds: of the latest publication while it can't be written, and none without
// one.
func (e *evaluator) credentials() *v1alpha1.Credentials {
	switch {
	case e.facts.Secret.Published:
		return e.renewal(e.facts.Secret.Credentials.DeepCopy())
	case e.binding() == nil:
		return nil
	default:
		return e.before.Credentials.DeepCopy()
	}
}

// renewal completes dates by what is known of the renewal of a client certificate: of another one, nothing is.
func (e *evaluator) renewal(c *v1alpha1.Credentials) *v1alpha1.Credentials {
	if c == nil || c.ExpiringCertificateNotAfter == nil {
		return c
	}
	if was := e.before.Credentials; was != nil && was.ExpiringCertificateNotAfter.Equal(c.ExpiringCertificateNotAfter) {
		c.RenewedAt, c.RenewalAcknowledgedFor = was.RenewedAt.DeepCopy(), was.RenewalAcknowledgedFor.DeepCopy()
	}
	if c.RenewedAt == nil {
		c.RenewedAt = &metav1.Time{Time: e.facts.Now.Truncate(time.Second)}
	}
	if e.facts.Rotation != nil && e.facts.Rotation.Acknowledged {
		c.RenewalAcknowledgedFor = c.ExpiringCertificateNotAfter.DeepCopy()
	}
	return c
}

// validity is until when something of the credentials is valid.
type validity struct {
	until *metav1.Time
	what  string
	// renewed is set for what has a successor already, so that clients have until then to take that.
	renewed bool
}

func validities(c *v1alpha1.Credentials) []validity {
	if c == nil {
		return nil
	}
	return []validity{
		{until: c.CertificateNotAfter, what: "client certificate"},
		{until: c.CANotAfter, what: "certificate of the project's CA"},
		{until: c.ExpiringCertificateNotAfter, what: "previous client certificate", renewed: true},
	}
}

// expiring sets the condition of credentials that end soon. It explains nothing about Ready.
func (e *evaluator) expiring(m *condition.Manager) {
	reason, now := "", e.facts.Now
	var texts []string
	for _, v := range validities(e.credentials()) {
		switch {
		case v.until == nil, v.renewed && !now.Before(v.until.Time), now.Before(v.begins(e.facts.Timings.ExpiryWarning)):
			continue
		case v.renewed:
			texts = append(texts, fmt.Sprintf("The %s is valid until %s: have all clients read the Secret again", v.what, stamp(v.until)))
			reason = cmp.Or(reason, condition.ReasonRenewed)
		case now.Before(v.until.Time):
			texts = append(texts, fmt.Sprintf("The %s is valid until %s, and Aiven hasn't renewed it", v.what, stamp(v.until)))
			reason = cmp.Or(reason, condition.ReasonExpiring)
		default:
			texts = append(texts, fmt.Sprintf("The %s has expired at %s, and Aiven hasn't renewed it", v.what, stamp(v.until)))
			reason = condition.ReasonExpired
		}
	}
	if reason == "" {
		m.Delete(condition.CredentialsExpiring)
		return
	}
	m.True(condition.CredentialsExpiring, reason, strings.Join(texts, ". "))
}

// begins is when the condition begins: for what is renewed with the renewal.
func (v validity) begins(warning time.Duration) time.Time {
	if v.renewed {
		return time.Time{}
	}
	return v.until.Add(-warning)
}

// untilExpiring is how long the condition CredentialsExpiring stays as it is if nothing happens; 0 for ever.
func (e *evaluator) untilExpiring() time.Duration {
	var next time.Duration
	for _, v := range validities(e.credentials()) {
		if v.until == nil {
			continue
		}
		for _, moment := range []time.Time{v.begins(e.facts.Timings.ExpiryWarning), v.until.Time} {
			next = sooner(next, moment.Sub(e.facts.Now))
		}
	}
	return next
}

// sooner is the shorter of two delays, of which one that isn't positive is none.
func sooner(a, b time.Duration) time.Duration {
	switch {
	case b <= 0:
		return max(a, 0)
	case a <= 0:
		return b
	default:
		return min(a, b)
	}
}

func stamp(t *metav1.Time) string { return t.UTC().Format(time.RFC3339) }
