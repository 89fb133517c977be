package main

// quantity is something that is measured of each family.
type quantity string

const (
	loadReady       quantity = "all ready"
	loadCalls       quantity = "calls until all ready"
	extraCalls      quantity = "calls that creations don't need"
	crowdPickup     quantity = "pickup among all, p50"
	crowdPickupLate quantity = "pickup among all, p99"
	restCalls       quantity = "calls in ten minutes at rest"
	restExtra       quantity = "calls at rest for a service"
	restWrites      quantity = "Kubernetes writes at rest"
	pickup          quantity = "pickup of a new object, p50"
	pickupLate      quantity = "pickup of a new object, p99"
	newReady        quantity = "a new object is ready, p50"
	newReadyLate    quantity = "a new object is ready, p99"
	memoryAnon      quantity = "anonymous memory"
	memoryHeap      quantity = "live heap for an object"

	// Of users of a Kafka.
	certificatesMissing quantity = "certificates that no status shows"
	certificateCalls    quantity = "calls beyond those of users without certificates"
)

// named is the name of what is measured of a family.
func (f *family) named(m quantity) string { return f.name + ": " + string(m) }

// limits are the budgets of a family, by the names of what is measured.
func (f *family) limits() map[string]budget {
	all := map[string]budget{}
	for m, b := range f.budgets {
		all[f.named(m)] = b
	}
	return all
}

// counts are how many objects and services a family has.
func (f *family) counts() (objects, services int) {
	for _, p := range f.parts {
		objects += p.objects
		if p.service {
			services += p.objects
		}
	}
	return objects, services
}

// polls are the calls among some that each object may make for itself at a poll.
func (f *family) polls(calls map[string]int64) int64 {
	n := int64(0)
	for _, p := range f.parts {
		n += min(calls[p.polled], int64(p.objects))
	}
	return n
}

// sized is the family at a percentage of its size. It has as many services.
func (f *family) sized(percent int) *family {
	s := *f
	s.parts = nil
	for _, p := range f.parts {
		if !p.service {
			p.objects = max(1, p.objects*percent/100)
		}
		s.parts = append(s.parts, p)
	}
	return &s
}

// familyOf is the one with a name; nil if there is none.
func familyOf(name string) *family {
	for i := range families {
		if families[i].name == name {
			return &families[i]
		}
	}
	return nil
}

// familyNames are those of all families.
func familyNames() []string {
	var names []string
	for i := range families {
		names = append(names, families[i].name)
	}
	return names
}
