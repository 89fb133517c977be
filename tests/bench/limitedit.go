package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/localaiven"
)

// editInterval is the time between two edits.
const editInterval = 20 * time.Second

// edit is a change that a person makes while other objects wait for their turns.
type edit struct {
	made      time.Time
	operation string
	path      string // the end of it
}

// editable are the kinds that are edited, and the call that serves an edit.
var editable = []struct {
	operation string
	list      func() client.ObjectList
	change    func(object)
}{
	{"ServiceKafkaTopicUpdate", func() client.ObjectList { return &v1alpha1.KafkaTopicList{} },
		func(o object) { o.(*v1alpha1.KafkaTopic).Spec.Partitions++ }},
	{"ServicePGBouncerUpdate", func() client.ObjectList { return &v1alpha1.ConnectionPoolList{} },
		func(o object) { o.(*v1alpha1.ConnectionPool).Spec.PoolSize++ }},
	{"ServiceUserCredentialsModify", func() client.ObjectList { return &v1alpha1.ServiceUserList{} },
		func(o object) {
			o.(*v1alpha1.ServiceUser).Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: passwordSecret, PasswordKey: "password"}
		}},
}

// editSome edits an object that is ready, again and again until ctx ends, where Aiven hasn't asked to wait.
func (l *limited) editSome(ctx context.Context) error {
	if err := l.createPassword(ctx); err != nil {
		return err
	}
	for turn := 0; ; turn++ {
		if err := pause(ctx, editInterval); errors.Is(err, context.Canceled) {
			return nil
		}
		if err := l.editOne(ctx, turn); errors.Is(err, context.Canceled) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// editOne edits an object of one of the kinds, unless none is ready.
func (l *limited) editOne(ctx context.Context, turn int) error {
	journal, err := l.admin.Journal(ctx, 0)
	if err != nil {
		return err
	}
	refusals := refusedAt(journal)
	if len(refusals) == 0 || time.Since(refusals[len(refusals)-1]) < rateWindow {
		return nil
	}
	kind := editable[turn%len(editable)]
	o, err := l.firstUnedited(ctx, kind.list())
	if err != nil || o == nil {
		return err
	}
	made := time.Now()
	if err := l.world.edit(ctx, o, func() { kind.change(o) }); err != nil {
		return err
	}
	l.edits = append(l.edits, edit{made: made, operation: kind.operation, path: "/" + o.GetName()})
	return nil
}

// firstUnedited is an object that is ready and as it was created; nil if there is none.
func (l *limited) firstUnedited(ctx context.Context, list client.ObjectList) (object, error) {
	if err := l.kube.List(ctx, list, client.InNamespace(namespace), client.MatchingLabels{crowdLabel: l.label}); err != nil {
		return nil, fmt.Errorf("listing: %w", err)
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return nil, fmt.Errorf("listing: %w", err)
	}
	for _, item := range items {
		if o, ok := item.(object); ok && o.GetGeneration() == 1 && isReady(o) {
			return o, nil
		}
	}
	return nil, nil
}

// reportEdits adds how long the edits took to arrive at Aiven.
func (l *limited) reportEdits(journal []localaiven.Entry) error {
	longest, slowest := time.Duration(0), ""
	for _, e := range l.edits {
		served := e.served(journal)
		if served.IsZero() {
			return fmt.Errorf("%s never arrived for the edit of %s", e.operation, e.path)
		}
		if took := served.Sub(e.made); took > longest {
			longest, slowest = took, e.operation
		}
	}
	l.world.add(measuredLimitEdits, float64(len(l.edits)), "edits", "while objects waited for their turns, and no 429 asked to wait")
	l.world.add(measuredLimitEdit, longest.Seconds(), "s", "the longest of them, a "+slowest)
	return nil
}

// served is when the call arrived that carries an edit.
func (e *edit) served(journal []localaiven.Entry) time.Time {
	for _, entry := range journal {
		if entry.Operation == e.operation && entry.Status < 300 && strings.HasSuffix(entry.Path, e.path) && !entry.Time.Before(e.made) {
			return entry.Time
		}
	}
	return time.Time{}
}
