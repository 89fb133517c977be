package export

import (
	"context"
	"slices"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/oneshot"
)

// ask makes a read. It reports false where that fails, and notes the remedy: the rest is exported.
func ask[R any](ctx context.Context, e *exporter, what string, read func(context.Context) (R, error)) (R, bool) {
	found, err := oneshot.Repeat(ctx, read)
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
	return oneshot.WithRemedy(fault.Of(err), ", or leave it out by --kinds or --service")
}
