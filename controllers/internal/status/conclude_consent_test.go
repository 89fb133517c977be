package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/condition"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

func TestConcludeConsents(t *testing.T) { requireSituations(t, consentSituations) }

func refuses(reason, note string) finding {
	return func(f *Facts) {
		missing(f)
		f.Refused, f.RefusedNote, f.Unapplied = reason, note, true
	}
}

func alreadyExists(f *Facts) {
	refuses(condition.ReasonAlreadyExists, "")(f)
	f.Remote = &Remote{Exists: true, Active: true}
	f.Drift = Drift{Reason: condition.ReasonAlreadyExists, Entries: []userconfig.Difference{{Path: "spec.plan", Wanted: "a", Found: "b"}}}
}

func unconfirmed(f *Facts) {
	inSync(f)
	f.LosesData = true
	f.GenerationApplied, f.Unapplied, f.Unconfirmed = false, true, "spec.powered is false, and all is lost"
	f.Drift = Drift{Reason: condition.ReasonConfirmationRequired, Entries: []userconfig.Difference{{Path: "spec.powered", Wanted: "false", Found: "true"}}}
}

func notAllowed(f *Facts) { f.NotAllowed = "Namespace apps may not use project prj" }

var consentSituations = map[string]situation{
	"it exists and isn't owned": {
		when: moment{0, alreadyExists}, want: columns{
			row: "not owned, or missing", ready: "False/AlreadyExists", config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Drifted=True/AlreadyExists Remote=True/Active Service=True/Running", phase: "Failed", activity: "Stalled", next: "10m0s poll",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "Warning AlreadyExistsAtAiven",
		},
	},
	"the Namespace doesn't allow the project": {
		when: moment{0, notAllowed}, want: columns{
			row: "project not allowed", ready: "False/ProjectNotAllowed", config: "True/ConfigurationValid", auth: "Unknown/Unverified", reachable: "Unknown/Unverified",
			phase: "Failed", next: "10m0s poll",
			legacy: "Initialized=True/Preconditions Running=Unknown/CheckRunning", event: "Warning ProjectNotAllowed",
		},
	},
	"it no longer allows the project": {
		given: bornReady, when: moment{time.Hour, notAllowed}, want: columns{
			row: "project not allowed", ready: "False/ProjectNotAllowed", config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running", phase: "Failed", next: "10m0s poll",
			legacy: "Initialized=True/CreatedOrUpdated Running=True/CheckRunning", event: "Warning ProjectNotAllowed",
		},
	},
	"the second time": {
		given: []moment{{0, alreadyExists}}, when: moment{time.Minute, alreadyExists}, want: columns{
			row: "not owned, or missing", ready: "False/AlreadyExists", config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Drifted=True/AlreadyExists Remote=True/Active Service=True/Running", phase: "Failed", activity: "Stalled", next: "10m0s poll",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running",
		},
	},
	"there is nothing to adopt": {
		when: moment{0, refuses(condition.ReasonNothingToAdopt, "")}, want: columns{
			row: "not owned, or missing", ready: "False/NothingToAdopt", config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Service=True/Running", phase: "Failed", activity: "Stalled", next: "10m0s poll",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/Preconditions Running=False/CheckRunning",
			annotations: "-running", event: "Warning NothingToAdoptAtAiven",
		},
	},
	"it was ready and is missing": {
		given: bornReady, when: moment{time.Hour, refuses(condition.ReasonRemoteMissing, "")}, want: columns{
			row: "not owned, or missing", ready: "False/RemoteMissing", config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=False/Missing Secret=True/Published Service=True/Running", phase: "Failed", activity: "Stalled", next: "10m0s poll",
			legacy:      "Error=Unknown/CreateOrUpdate Initialized=True/CreatedOrUpdated Running=False/CheckRunning",
			annotations: "-running", event: "Warning RemoteResourceMissing",
		},
	},
	"a loss of data isn't confirmed": {
		given: bornReady, when: moment{time.Hour, unconfirmed}, want: columns{
			row: "data loss not confirmed", ready: "False/ConfirmationRequired", config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Drifted=True/ConfirmationRequired Remote=True/Active Secret=True/Published Service=True/Running", phase: "Failed", activity: "Stalled", next: "10m0s poll",
			legacy: "Error=Unknown/CreateOrUpdate Initialized=True/CreatedOrUpdated Running=True/CheckRunning",
			event:  "Warning UnableToCreateOrUpdateAtAiven",
		},
	},
	"it was missing and is back": {
		given: append(bornReady[:1:1], moment{time.Hour, refuses(condition.ReasonRemoteMissing, "")}), when: moment{time.Hour, inSync}, want: columns{
			row: "in sync", ready: "True/ReconciliationSucceeded", config: "True/ConfigurationValid", auth: "True/AuthenticationValid", reachable: "True/Reachable",
			components: "Remote=True/Active Secret=True/Published Service=True/Running", phase: "Ready", next: "10m0s poll",
			legacy: "Initialized=True/CreatedOrUpdated Running=True/CheckRunning", annotations: "processed=1 running=true", event: "Normal InstanceIsRunning",
		},
	},
}

func TestAConsentNamesWhatIsMissing(t *testing.T) {
	for says, find := range map[string]finding{
		"Already exists at Aiven, not created by this object. To adopt it, set controllers.aiven.io/adoption-policy=Adopt, see " +
			"https://github.com/aero-operator/aero/blob/main/docs/user/reasons/AlreadyExists.md": alreadyExists,
		"Does not exist at Aiven, and the adoption policy doesn't allow to create it. Annotation x is wrong": refuses(condition.ReasonNothingToAdopt, "Annotation x is wrong"),
		"Missing at Aiven, after it was ready. It isn't created again, as it would be empty. Restore it, or set the annotation " +
			"controllers.aiven.io/recreate-policy=Always, or recreate this object": refuses(condition.ReasonRemoteMissing, ""),
		"Missing at Aiven. It isn't created again, as drift isn't corrected. Restore it, or remove the annotation " +
			"controllers.aiven.io/drift-policy": refuses(condition.ReasonRemoteMissing, condition.ReasonReportOnly),
	} {
		e := &evaluator{facts: &Facts{}, before: &v1alpha1.CommonStatus{}}
		find(e.facts)
		assert.Equal(t, says, e.awaitConsent().message)
	}
	e := &evaluator{facts: &Facts{Generation: 2}}
	unconfirmed(e.facts)
	assert.Equal(t, "Not applied, unlike the rest: spec.powered is false, and all is lost. To confirm it, set the annotation "+
		"controllers.aiven.io/confirm-data-loss=2, or undo it", e.awaitConfirmation().message)
	e.facts.GenerationApplied = true
	assert.Contains(t, e.awaitConfirmation().message, "confirm-data-loss=2", "a creation is accepted that leads to a service which is on")
	e.facts.WasOff = true
	assert.Equal(t, "Not applied again: spec.powered is false, and all is lost. To confirm it, edit the spec, and set the annotation "+
		"controllers.aiven.io/confirm-data-loss to its generation, or undo it", e.awaitConfirmation().message)
}

// What needs consent is left out of an update, and the rest may be refused.
func TestARefusedRestIsNoAppliedOne(t *testing.T) {
	o, obj := newObject(true), &v1alpha1.Kafka{ObjectMeta: metav1.ObjectMeta{Generation: 1}}
	for _, tc := range []struct {
		row   string
		finds finding
	}{
		{"transient refusal of a mutation", refused(busy)}, {"infrastructure error", refused(down)}, {"Secret not published", unwritten},
	} {
		c := o.reconcile(t, unconfirmed, tc.finds)
		assert.Equal(t, tc.row, c.Row)
		assert.False(t, RestApplied(obj, &o.status), "%s: Ready says nothing of the rest, so options that Aiven never returns are sent", tc.row)
		drifted := meta.FindStatusCondition(c.Status.Conditions, condition.Drifted)
		require.NotNil(t, drifted, tc.row)
		assert.Equal(t, condition.ReasonConfirmationRequired, drifted.Reason, "%s: what isn't confirmed is shown meanwhile", tc.row)
	}
	assert.Equal(t, "data loss not confirmed", o.reconcile(t, unconfirmed).Row)
	assert.True(t, RestApplied(obj, &o.status))
}

// owned is what the engine has found out about who owns the resource.
func owned(kind v1alpha1.ProvenanceType) finding {
	return func(f *Facts) {
		f.Provenance = &v1alpha1.Provenance{Type: kind, UID: "uid"}
	}
}

func notOwnedYet(f *Facts) { f.Provenance = nil }

func TestProvenanceIsRecordedWithWhatAivenAccepts(t *testing.T) {
	ofAnother := func(f *Facts) { f.UID = "another" }
	both := func(findings ...finding) finding {
		return func(f *Facts) {
			for _, find := range findings {
				find(f)
			}
		}
	}
	for name, tc := range map[string]struct {
		given []moment
		finds finding
		want  v1alpha1.ProvenanceType // none if empty
		ready bool
	}{
		"nothing is owned":                      {nil, alreadyExists, "", false},
		"a creation is accepted":                {nil, created, v1alpha1.ProvenanceCreated, true},
		"a creation isn't shown yet":            {nil, both(missing, owned(v1alpha1.ProvenanceCreated)), "", false},
		"a creation whose answer was lost":      {nil, both(inSync, owned(v1alpha1.ProvenanceCreated)), v1alpha1.ProvenanceCreated, true},
		"a takeover, although nothing was read": {nil, both(func(f *Facts) { f.Paused = true }, owned(v1alpha1.ProvenanceTakenOver)), v1alpha1.ProvenanceTakenOver, false},
		"an observation without ownership":      {nil, both(inSync, onlyObserving), v1alpha1.ProvenanceObserved, false},
		"a status restored from another object": {[]moment{{0, both(inSync, onlyObserving, ofAnother)}}, both(inSync, onlyObserving, notOwnedYet), v1alpha1.ProvenanceObserved, false},
		"what it may have created isn't there":  {nil, both(missing, onlyObserving, owned(v1alpha1.ProvenanceCreated)), v1alpha1.ProvenanceObserved, false},
		"what was ready stays so":               {bornReady, refuses(condition.ReasonRemoteMissing, ""), v1alpha1.ProvenanceCreated, true},
		"what it only observes has gone":        {bornReady, both(missing, onlyObserving), v1alpha1.ProvenanceObserved, true},
		"a deletion of what was taken over":     {nil, both(deletion(Deletion{Blocked: "a pool"}), owned(v1alpha1.ProvenanceTakenOver)), v1alpha1.ProvenanceTakenOver, false},
		"a deletion of what may not be there":   {nil, both(deletion(Deletion{Blocked: "a pool"}), owned(v1alpha1.ProvenanceCreated)), "", false},
		"a deletion changes nothing":            {bornReady, deletion(Deletion{}), v1alpha1.ProvenanceCreated, true},
	} {
		t.Run(name, func(t *testing.T) {
			o := newObject(false)
			for _, m := range tc.given {
				o.reconcile(t, m.finds)
			}
			got := o.reconcile(t, tc.finds).Status.Provenance
			if tc.want == "" {
				assert.Nil(t, got)
				return
			}
			assert.Equal(t, tc.want, got.Type)
			assert.Equal(t, tc.ready, got.WasReady)
			assert.EqualValues(t, "uid", got.UID)
		})
	}
}
