package rotation

import (
	"context"
	"time"

	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/status"
)

// RenewalAcknowledger is a controller of a kind whose objects publish a client certificate.
type RenewalAcknowledger[T Object] interface {
	// AcknowledgeRenewal makes known at Aiven that the new certificate is in use, so that its mails about the former one end. It MUST be safe
	// to repeat.
	AcknowledgeRenewal(ctx context.Context, obj T) error
}

// Acknowledging is the call of a kind's RenewalAcknowledger; nil if it has none.
func Acknowledging[T Object](kind any, obj T) func(context.Context) error {
	acknowledger, has := kind.(RenewalAcknowledger[T])
	if !has {
		return nil
	}
	return func(ctx context.Context) error { return acknowledger.AcknowledgeRenewal(ctx, obj) }
}

// acknowledge acknowledges a certificate that was published long enough ago, by the status. A kill after the call repeats it.
func (r Rotation) acknowledge(ctx context.Context, facts *status.Facts) {
	after, wanted, err := policy.AcknowledgementOf(r.Object)
	was, is := r.Object.GetCommonStatus().Credentials, r.Details.Credentials
	switch {
	case !wanted, facts.ObserveOnly, r.Acknowledge == nil, r.Plan != plan.None && r.Plan != plan.Report:
		return
	case err != nil:
		unacknowledged(facts, notAcknowledged+": "+err.Error())
		return
	case is == nil || is.ExpiringCertificateNotAfter == nil, was == nil || was.RenewedAt == nil:
		return
	case !was.ExpiringCertificateNotAfter.Equal(is.ExpiringCertificateNotAfter): // the new one isn't published yet
		return
	case was.RenewalAcknowledgedFor.Equal(is.ExpiringCertificateNotAfter):
		return
	}
	if left := was.RenewedAt.Add(after).Sub(facts.Now); left > 0 {
		facts.Rotation.After = sooner(facts.Rotation.After, left)
		return
	}
	switch err := r.Acknowledge(ctx); {
	case err == nil:
		facts.Rotation.Acknowledged = true
	case fault.Is(err, fault.RateLimited):
		facts.Rotation.After = sooner(facts.Rotation.After, fault.Of(err).RetryAfter)
	case fault.FromAiven(err):
		unacknowledged(facts, facts.Secrets.Refusal(err, notAcknowledged, triedAgain))
	default:
		unacknowledged(facts, notAcknowledged+": "+facts.Secrets.Refusal(err, "", triedAgain))
	}
}

const (
	notAcknowledged = "The renewal of the client certificate isn't acknowledged"
	triedAgain      = "It is tried again at the next poll"
)

// unacknowledged shows why, without an influence on Ready: what is published is valid. What is in the way of a rotation comes first.
func unacknowledged(facts *status.Facts, message string) {
	if facts.Rotation.Reason == "" {
		facts.Rotation.Reason, facts.Rotation.Message = condition.ReasonRenewalNotAcknowledged, message
	}
}

// sooner is the shorter of two times, of which 0 is for ever.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	return min(a, b)
}
