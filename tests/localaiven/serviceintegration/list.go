package serviceintegration

import (
	"slices"
	"time"
)

// List is some integrations, such as those of a service. They are never changed in place.
type List []*Integration

// At are the integrations as they are shown at a time.
func (l List) At(now time.Time) []Integration {
	out := make([]Integration, 0, len(l))
	for _, i := range l {
		out = append(out, i.At(now))
	}
	return out
}

// NextReady is when the next of those that are starting is ready; zero is never.
func (l List) NextReady(now time.Time) time.Time {
	var next time.Time
	for _, i := range l {
		if i.Starting(now) && (next.IsZero() || i.Ready.Before(next)) {
			next = i.Ready
		}
	}
	return next
}

// Has reports whether there is one of the type.
func (l List) Has(integrationType string) bool {
	return slices.ContainsFunc(l, func(i *Integration) bool { return i.IntegrationType == integrationType })
}

// Connects reports whether one makes a service of Kafka Connect work.
func (l List) Connects(now time.Time, project, service string) bool {
	return slices.ContainsFunc(l, func(i *Integration) bool { return i.At(now).Connects(project, service) })
}

// ConnectedSince is since when a service of Kafka Connect has a Kafka to work with; zero is always, or not at all.
func (l List) ConnectedSince(now time.Time, project, service string) time.Time {
	var since time.Time
	for _, i := range l {
		if i.At(now).Connects(project, service) && (since.IsZero() || i.Ready.Before(since)) {
			since = i.Ready
		}
	}
	return since
}

// Find returns the one with the id, if it has an end in the project.
func (l List) Find(p Project, id string) (*Integration, *Error) {
	at, fail := l.index(p, id)
	if fail != nil {
		return nil, fail
	}
	return l[at], nil
}

func (l List) index(p Project, id string) (int, *Error) {
	at := slices.IndexFunc(l, func(i *Integration) bool { return i.ServiceIntegrationID == id && i.In(p) })
	if at < 0 {
		return at, notFound("Service integration")
	}
	return at, nil
}
