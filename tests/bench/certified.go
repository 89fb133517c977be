package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/localaiven"
)

// takeTurns puts every second user into the Kafka: the others are in the PostgreSQL, as those of the example.
func takeTurns(f *family, o object, i int) {
	if i%2 == 1 {
		o.(*v1alpha1.ServiceUser).Spec.ServiceName = f.nameOf("kafka", 0)
	}
}

// noteCertificates compares the calls about the Kafka, whose users have certificates, with those about the PostgreSQL, whose as many users have
// none.
func (l *loaded) noteCertificates(ctx context.Context, journal []localaiven.Entry) error {
	kafka, postgresql := l.family.nameOf("kafka", 0), l.family.nameOf("postgresql", 0)
	users := &v1alpha1.ServiceUserList{}
	if err := l.kube.List(ctx, users); err != nil {
		return fmt.Errorf("listing the users: %w", err)
	}
	certified, shown := 0, 0
	for i := range users.Items {
		if users.Items[i].Spec.ServiceName != kafka {
			continue
		}
		certified++
		if dates := users.Items[i].Status.Credentials; dates != nil && dates.CertificateNotAfter != nil {
			shown++
		}
	}
	l.note(certificatesMissing, float64(certified-shown), "users", fmt.Sprintf("of %d of the Kafka, whose certificates end at a time that no status has", certified))
	with, without := callsAbout(journal, kafka), callsAbout(journal, postgresql)
	l.note(certificateCalls, float64(len(with)-len(without)), "calls", fmt.Sprintf("%d about the Kafka, until all were ready, and %d about the PostgreSQL", len(with), len(without)))
	return nil
}

// callsAbout are the calls whose path names a service, or what is in it.
func callsAbout(journal []localaiven.Entry, service string) (calls []localaiven.Entry) {
	for _, entry := range journal {
		if slices.Contains(strings.Split(entry.Path, "/"), service) {
			calls = append(calls, entry)
		}
	}
	return calls
}
