package export

import (
	"context"
	"slices"
	"time"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

const (
	// snapshotAge is how old what was read may be. It is longer than an export takes.
	snapshotAge = 4 * time.Hour
	attempts    = 5
	firstPause  = time.Second
)

// repeat makes a read again while it fails for a reason that passes, and pauses for as long as Aiven asks for.
func repeat[R any](ctx context.Context, read func(context.Context) (R, error)) (R, error) {
	for pause, attempt := firstPause, 1; ; pause, attempt = 2*pause, attempt+1 {
		found, err := read(ctx)
		passes := fault.Is(err, fault.RateLimited, fault.Server, fault.Network, fault.Timeout)
		if err == nil || !passes || attempt == attempts {
			return found, err
		}
		timer := time.NewTimer(max(pause, fault.Of(err).RetryAfter))
		select {
		case <-ctx.Done():
			timer.Stop()
			return found, ctx.Err()
		case <-timer.C:
		}
	}
}

// ask makes a read. It reports false where that fails, and notes the remedy: the rest is exported.
func ask[R any](ctx context.Context, e *exporter, what string, read func(context.Context) (R, error)) (R, bool) {
	found, err := repeat(ctx, read)
	if err != nil {
		e.unread(what, err)
	}
	return found, err == nil
}

// answers reports whether a service can be asked for what only it knows, and notes what is missing if it can't.
func (e *exporter) answers(s *aiven.Service, what string) bool {
	if !s.Operational() {
		e.leave("service "+s.Name+": "+what, "the service is "+s.State+", and is asked only while it runs. Export it again then")
	}
	return s.Operational()
}

func (e *exporter) unread(what string, err error) {
	note := Note{what, withRemedy(err)}
	if !slices.Contains(e.result.Unread, note) {
		e.result.Unread = append(e.result.Unread, note)
	}
}

// withRemedy is the message of an error of Aiven, and what to do about it.
func withRemedy(err error) string {
	f := fault.Of(err)
	text := f.Message
	switch f.Class {
	case fault.Forbidden, fault.Unauthorized:
		text += ". Use a token whose user has the permission to read it, or leave it out by --kinds or --service"
	case fault.RateLimited, fault.Server, fault.Network, fault.Timeout:
		text += ". Run the command again"
	}
	return text
}
