package status

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

var (
	sourceRuns      = Service{Name: "prj/kafka", Condition: condition.SourceServiceReady, Exists: true, Usable: true, State: "RUNNING"}
	destinationRuns = Service{Name: "prj/pg", Condition: condition.DestinationServiceReady, Exists: true, Usable: true, State: "RUNNING"}
)

func connects(services ...Service) finding {
	return func(f *Facts) { f.Services = services }
}

// shown are the conditions of both ends as type: status/reason.
func shown(c *Conclusion) map[string]string {
	out := map[string]string{}
	for _, kind := range condition.ServiceTypes {
		for i := range c.Status.Conditions {
			if got := c.Status.Conditions[i]; got.Type == kind {
				out[kind] = string(got.Status) + "/" + got.Reason
			}
		}
	}
	return out
}

func TestEachOfTwoServicesHasItsCondition(t *testing.T) {
	building := Service{Name: "prj/pg", Condition: condition.DestinationServiceReady, Exists: true, State: "REBUILDING"}
	off := Service{Name: "prj/pg", Condition: condition.DestinationServiceReady, Exists: true, Off: true, State: "POWEROFF"}
	absent := Service{Name: "prj/pg", Condition: condition.DestinationServiceReady}
	for name, tc := range map[string]struct {
		found               finding
		source, destination string
		ready, message      string
	}{
		"both run": {
			found:  all(connects(sourceRuns, destinationRuns), func(f *Facts) { f.Remote = &Remote{Exists: true, Active: true} }),
			source: "True/Running", destination: "True/Running", ready: "True/ReconciliationSucceeded", message: "In sync with the spec",
		},
		"the second isn't usable": {
			found: connects(sourceRuns, building), source: "True/Running", destination: "False/Rebuilding",
			ready: "Unknown/Progressing", message: "Waiting for service prj/pg: it is REBUILDING",
		},
		"the first isn't usable, and the second isn't either": {
			found:  connects(Service{Name: "prj/kafka", Condition: condition.SourceServiceReady, Exists: true, State: "REBUILDING"}, absent),
			source: "False/Rebuilding", destination: "False/NotFound",
			ready: "Unknown/Progressing", message: "Waiting for service prj/kafka: it is REBUILDING",
		},
		"the second is off": {
			found: connects(sourceRuns, off), source: "True/Running", destination: "False/ServicePoweredOff",
			ready: "Unknown/ServicePoweredOff", message: "Service prj/pg is powered off. Power it on",
		},
		"the second doesn't exist": {
			found: connects(sourceRuns, absent), source: "True/Running", destination: "False/NotFound",
			ready: "Unknown/Progressing", message: "Waiting for service prj/pg (spec.destinationServiceName): it does not exist at Aiven",
		},
		"the second can't be read": {
			found:  all(connects(sourceRuns, absent), func(f *Facts) { f.ObserveErr = errors.New("no route to host") }),
			source: "True/Running", ready: "Unknown/ProgressingWithRetry",
		},
		"the second may not be read by the token": {
			found:  all(connects(sourceRuns), func(f *Facts) { f.Remote = &Remote{Exists: true, Active: true} }),
			source: "True/Running", ready: "True/ReconciliationSucceeded", message: "In sync with the spec",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newObject(false)
			c := o.reconcile(t, tc.found)
			want := map[string]string{condition.SourceServiceReady: tc.source}
			if tc.destination != "" {
				want[condition.DestinationServiceReady] = tc.destination
			}
			assert.Equal(t, want, shown(&c))
			ready := c.Status.Conditions[0]
			assert.Equal(t, tc.ready, string(ready.Status)+"/"+ready.Reason)
			assert.Contains(t, ready.Message, tc.message)
		})
	}
}

func TestTheConditionOfAnEndIsKeptWhileItIsNotReadAndRemovedWhenItIsHidden(t *testing.T) {
	o := newObject(false)
	works := func(f *Facts) { f.Remote = &Remote{Exists: true, Active: true} }
	o.reconcile(t, connects(sourceRuns, destinationRuns), works)

	o.now = o.now.Add(time.Minute)
	c := o.reconcile(t, func(f *Facts) { f.ObserveErr = errors.New("no route to host") })
	assert.Equal(t, map[string]string{
		condition.SourceServiceReady: "True/Running", condition.DestinationServiceReady: "True/Running",
	}, shown(&c), "a failed observation concludes nothing at once")

	c = o.reconcile(t, connects(sourceRuns), works)
	assert.Equal(t, map[string]string{condition.SourceServiceReady: "True/Running"}, shown(&c))
	assert.Equal(t, metav1.ConditionTrue, c.Status.Conditions[0].Status)
}

func TestAReferenceThatTheObjectMustNotHoldIsAnErrorInTheSpec(t *testing.T) {
	o := newObject(false)
	refersTo := func(err error) finding {
		return func(f *Facts) {
			f.References = []Component{{
				Type: "PeerReady", Ready: err == nil, Reason: condition.ReasonInvalidSpec, Message: "it is in another project", Err: err,
			}}
		}
	}
	c := o.reconcile(t, refersTo(fault.InvalidSpec("spec.peerRef", "it is in another project")))
	assert.Equal(t, condition.ReasonInvalidSpec, c.Status.Conditions[0].Reason)
	assert.Contains(t, c.Status.Conditions[0].Message, "it is in another project")
	require.NoError(t, c.Err)
	assert.Contains(t, described(&c), "PeerReady=False/InvalidSpec")
	assert.Contains(t, described(&c), "ConfigValid=False/InvalidSpec")

	c = o.reconcile(t, refersTo(nil), func(f *Facts) { f.Remote = &Remote{Exists: true, Active: true} })
	assert.Contains(t, described(&c), "Ready=True/ReconciliationSucceeded")
	assert.Contains(t, described(&c), "ConfigValid=True/ConfigurationValid")
}

func described(c *Conclusion) []string {
	var out []string
	for _, got := range c.Status.Conditions {
		out = append(out, got.Type+"="+string(got.Status)+"/"+got.Reason)
	}
	return out
}
