package testenv

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/avast/retry-go/v5"
	"github.com/stretchr/testify/require"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
)

const (
	// waitTimeout is how long a test waits for what takes a moment on an idle machine.
	waitTimeout = 60 * time.Second
	tick        = 25 * time.Millisecond
	rereads     = 40
)

// Want is something that an object shall come to.
type Want struct {
	says  string
	holds func(Object) bool
}

// Condition wants a condition with a status and a reason, evaluated for the present generation.
func Condition(kind string, status metav1.ConditionStatus, reason string) Want {
	return Want{fmt.Sprintf("%s=%s/%s", kind, status, reason), func(obj Object) bool {
		c := Find(obj, kind)
		return c != nil && c.Status == status && c.Reason == reason && c.ObservedGeneration == obj.GetGeneration()
	}}
}

// NotReady wants Ready not to be True, for one of these reasons, evaluated for the present generation.
func NotReady(reasons ...string) Want {
	return Want{fmt.Sprintf("Ready for one of the reasons %s", strings.Join(reasons, ", ")), func(obj Object) bool {
		c := Find(obj, "Ready")
		return c != nil && c.Status != metav1.ConditionTrue && slices.Contains(reasons, c.Reason) && c.ObservedGeneration == obj.GetGeneration()
	}}
}

// Saying wants a condition whose message has a part.
func Saying(kind, part string) Want {
	return Want{fmt.Sprintf("%s saying %q", kind, part), func(obj Object) bool {
		c := Find(obj, kind)
		return c != nil && strings.Contains(c.Message, part)
	}}
}

// Phase wants a phase.
func Phase(phase v1alpha1.Phase) Want {
	return Want{"phase " + string(phase), func(obj Object) bool { return obj.GetCommonStatus().Phase == phase }}
}

// Ready wants what `kubectl wait --for=condition=Ready` waits for, and that nothing about it is old.
func Ready() Want {
	return Want{"Ready=True for this generation", func(obj Object) bool {
		c := Find(obj, "Ready")
		return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == obj.GetGeneration() &&
			obj.GetCommonStatus().ObservedGeneration == obj.GetGeneration()
	}}
}

// Find returns a condition of an object, or nil.
func Find(obj Object, kind string) *metav1.Condition {
	conditions := obj.GetCommonStatus().Conditions
	i := slices.IndexFunc(conditions, func(c metav1.Condition) bool { return c.Type == kind })
	if i < 0 {
		return nil
	}
	return &conditions[i]
}

// Wait waits until an object meets all wants in one and the same status, and leaves it in obj.
func (e *Env) Wait(obj Object, wants ...Want) {
	e.T.Helper()
	var missing []string
	e.Until(e.ifChanged(obj, func() bool {
		e.Get(obj)
		missing = nil
		for _, want := range wants {
			if !want.holds(obj) {
				missing = append(missing, want.says)
			}
		}
		return len(missing) == 0
	}), func() string {
		return fmt.Sprintf("%s lacks %s:\n%s", name(obj), strings.Join(missing, ", "), statusOf(obj))
	})
}

// WaitGone waits until an object is gone.
func (e *Env) WaitGone(obj client.Object) {
	e.T.Helper()
	e.Until(e.ifChanged(obj, func() bool {
		err := e.Client.Get(e.T.Context(), client.ObjectKeyFromObject(obj), obj)
		return apierrors.IsNotFound(err)
	}), func() string { return name(obj) + " is still there" })
}

// ifChanged reads an object at first, and then where the recorder has seen a write that is newer than the object as it was read: most
// objects change a few times while a test waits for them, and a read of each at every tick would take much of the API server's time. An
// object that the recorder doesn't watch is read each time, and any object every rereads times, for watches that have ended.
func (e *Env) ifChanged(obj client.Object, read func() bool) func() bool {
	var last uint64
	left := 0
	return func() bool {
		if shown := e.recorder.revisionOf(obj); left > 0 && shown > 0 && shown <= last {
			left--
			return false
		}
		holds := read()
		last, left = Revision(obj), rereads
		return holds
	}
}

// Until waits until something holds. otherwise returns what is wrong when it doesn't in time.
func (e *Env) Until(holds func() bool, otherwise func() string) {
	e.T.Helper()
	// Some wait while the test is cleaned up, when its context is over.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.T.Context()), waitTimeout)
	defer cancel()
	err := retry.New(
		retry.UntilSucceeded(), retry.Context(ctx), retry.Delay(tick), retry.DelayType(retry.FixedDelay),
	).Do(func() error {
		if !holds() {
			return errUnmet
		}
		return nil
	})
	if err != nil {
		require.FailNow(e.T, "Waited for "+waitTimeout.String(), otherwise())
	}
}

// errUnmet is what a wait goes on for.
var errUnmet = errors.New("it doesn't hold yet")

// Rest waits until the operator has reconciled n more times: by then it has had its chance to do something wrong.
func (e *Env) Rest(n int) {
	e.T.Helper()
	goal := e.Operator.Reconciles() + n
	e.Until(func() bool { return e.Operator.Reconciles() >= goal }, func() string {
		return fmt.Sprintf("%d reconciles, waited for %d", e.Operator.Reconciles(), goal)
	})
}

// Events are those about an object, in the order of their first occurrence.
func (e *Env) Events(obj client.Object) []eventsv1.Event {
	e.T.Helper()
	var about []eventsv1.Event
	for _, event := range e.allEvents() {
		if event.Regarding.UID == obj.GetUID() {
			about = append(about, event)
		}
	}
	return about
}

// WaitEvent waits for an event of a type and a reason, and returns it.
func (e *Env) WaitEvent(obj client.Object, kind, reason string) eventsv1.Event {
	e.T.Helper()
	var found eventsv1.Event
	var seen []string
	e.Until(func() bool {
		seen = nil
		for _, event := range e.Events(obj) {
			seen = append(seen, event.Type+" "+event.Reason)
			if event.Type == kind && event.Reason == reason {
				found = event
				return true
			}
		}
		return false
	}, func() string { return fmt.Sprintf("no event %s %s, only %s", kind, reason, strings.Join(seen, ", ")) })
	return found
}

func (e *Env) allEvents() []eventsv1.Event {
	list := &eventsv1.EventList{}
	require.NoError(e.T, e.Client.List(e.T.Context(), list, client.InNamespace(e.Namespace)))
	slices.SortStableFunc(list.Items, func(a, b eventsv1.Event) int { return a.EventTime.Compare(b.EventTime.Time) })
	return list.Items
}

func name(obj client.Object) string { return fmt.Sprintf("%T %s", obj, obj.GetName()) }

func statusOf(obj Object) string {
	text, err := yaml.Marshal(obj.GetCommonStatus())
	if err != nil {
		return err.Error()
	}
	return string(text)
}
