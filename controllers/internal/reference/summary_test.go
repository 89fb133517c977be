package reference

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/api/v1alpha1"
)

func TestOneConditionForAllTargetsOfADeclaration(t *testing.T) {
	outcome := func(name string, state State, message string) Outcome {
		o := Outcome{Name: name, State: state, Reason: string(state), Message: message}
		if state == Failed {
			o.Err = errors.New("connection refused")
		}
		return o
	}
	for name, tc := range map[string]struct {
		outcomes []Outcome
		want     []string
	}{
		"nothing is named":   {},
		"a single one":       {outcomes: []Outcome{outcome("A", Ready, "a is ready")}, want: []string{"A Ready: a is ready"}},
		"a single one waits": {outcomes: []Outcome{outcome("A", NotReady, "a isn't ready")}, want: []string{"A NotReady: a isn't ready"}},
		"all of them are ready": {
			outcomes: []Outcome{outcome("A", Ready, "a is ready"), outcome("A", Ready, "b is ready"), outcome("A", Ready, "c is ready")},
			want:     []string{"A Ready: a is ready (and 2 more)"},
		},
		"the first that isn't ready is named": {
			outcomes: []Outcome{outcome("A", Ready, "a is ready"), outcome("A", NotReady, "b isn't ready"), outcome("A", Ready, "c is ready")},
			want:     []string{"A NotReady: b isn't ready"},
		},
		"and the others that aren't ready are counted": {
			outcomes: []Outcome{outcome("A", NotFound, "a doesn't exist"), outcome("A", NotReady, "b isn't ready"), outcome("A", KeyMissing, "c has no key")},
			want:     []string{"A NotFound: a doesn't exist (and 2 more)"},
		},
		"an error of the API comes first": {
			outcomes: []Outcome{outcome("A", NotFound, "a doesn't exist"), outcome("A", Failed, "b couldn't be read"), outcome("A", Failed, "c couldn't be read")},
			want:     []string{"A Failed: b couldn't be read (and 2 more)"},
		},
		"what the object must not refer to comes before what it waits for": {
			outcomes: []Outcome{outcome("A", NotReady, "a isn't ready"), outcome("A", Invalid, "b is elsewhere"), outcome("A", NotFound, "c doesn't exist")},
			want:     []string{"A Invalid: b is elsewhere (and 2 more)"},
		},
		"each declaration has its own": {
			outcomes: []Outcome{outcome("A", Ready, "a is ready"), outcome("B", NotReady, "b isn't ready"), outcome("B", NotReady, "c isn't ready")},
			want:     []string{"A Ready: a is ready", "B NotReady: b isn't ready (and 1 more)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, o := range (Resolved{outcomes: tc.outcomes}).Summaries() {
				got = append(got, o.Name+" "+o.Reason+": "+o.Message)
				assert.Equal(t, o.State == Failed, o.Err != nil)
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestTheFirstReferenceThatCouldNotBeReadIsAnError(t *testing.T) {
	refused, lost := errors.New("must not"), errors.New("connection refused")
	invalid, failed, missing := Outcome{State: Invalid, Err: refused}, Outcome{State: Failed, Err: lost}, Outcome{State: NotFound}
	require.NoError(t, Resolved{}.Err())
	require.NoError(t, Resolved{outcomes: []Outcome{missing, invalid, {State: Ready}}}.Err())
	require.ErrorIs(t, Resolved{outcomes: []Outcome{missing, invalid, failed}}.Err(), lost)
}

func TestTheVersionOfAWriteOnlySourceIsRecorded(t *testing.T) {
	source, published := declare("Source", SecretKind, to("/password", "value")), declare("Published", SecretKind, to("/password", ""))
	source.WriteOnly = true
	resolved := Resolver{Reader: readerOf(passwordSecret(), vpc(t, `status: {conditions: [{type: Ready, status: "True"}]}`))}.
		Resolve(t.Context(), referrer("apps", "x"), []Declaration{source, published, declare("VPC", vpcKind, to("/main", ""))})
	var versions []string
	for _, ref := range resolved.Refs() {
		versions = append(versions, ref.ResourceVersion)
	}
	assert.Equal(t, []string{"999", "", ""}, versions, "of no other object: each change of it would be a write")
}

func TestAChangedSourceIsSentOnce(t *testing.T) {
	record := func(uid types.UID, version string) v1alpha1.ResolvedReference {
		return v1alpha1.ResolvedReference{Kind: "Secret", Namespace: "apps", Name: "password", UID: uid, ResourceVersion: version}
	}
	found := func(uid types.UID, version string) Outcome {
		return Outcome{Kind: SecretKind, Target: to("apps/password", ""), State: Ready, UID: uid, ResourceVersion: version, WriteOnly: version != ""}
	}
	lacks := func(state State, writeOnly bool) Outcome {
		return Outcome{Kind: SecretKind, Target: to("apps/password", ""), State: state, WriteOnly: writeOnly}
	}
	network := Outcome{Kind: vpcKind, Target: to("apps/password", ""), State: Ready, UID: "v"}
	vpc := v1alpha1.ResolvedReference{Kind: vpcKind.Kind, Namespace: "apps", Name: "password", UID: "v"}
	type outcomes = []Outcome
	type refs = []v1alpha1.ResolvedReference
	for name, tc := range map[string]struct {
		outcomes outcomes
		recorded refs
		changed  bool
		unsent   refs // recorded until the values were sent
		sent     refs // and afterwards; as before if nil
	}{
		"nothing is referred to":                 {},
		"the first version is recorded":          {outcomes: outcomes{found("", "1")}, unsent: refs{record("", "1")}},
		"the same version":                       {outcomes: outcomes{found("", "1")}, recorded: refs{record("", "1")}, unsent: refs{record("", "1")}},
		"another version":                        {outcomes: outcomes{found("", "2")}, recorded: refs{record("", "1")}, changed: true, unsent: refs{record("", "1")}, sent: refs{record("", "2")}},
		"another Secret of the same name":        {outcomes: outcomes{found("new", "1")}, recorded: refs{record("", "1")}, changed: true, unsent: refs{record("", "1")}, sent: refs{record("new", "1")}},
		"a record of an older operator":          {outcomes: outcomes{found("", "2")}, recorded: refs{record("", "")}, unsent: refs{record("", "2")}},
		"a Secret whose version isn't recorded":  {outcomes: outcomes{found("", "")}, recorded: refs{record("", "1")}, unsent: refs{record("", "")}},
		"an object of another kind, of the name": {outcomes: outcomes{network, found("", "1")}, recorded: refs{vpc, record("", "1")}, unsent: refs{vpc, record("", "1")}},
		"a Secret that is gone":                  {outcomes: outcomes{lacks(NotFound, true)}, recorded: refs{record("", "1")}, unsent: refs{record("", "1")}},
		"a Secret that lacks its key":            {outcomes: outcomes{lacks(KeyMissing, true)}, recorded: refs{record("", "1")}, unsent: refs{record("", "1")}},
		"a Secret that lacks one of its keys":    {outcomes: outcomes{found("", "2"), lacks(KeyMissing, true)}, recorded: refs{record("", "1")}, changed: true, unsent: refs{record("", "1")}, sent: refs{record("", "2")}},
		"a Secret that is gone, and never sent":  {outcomes: outcomes{lacks(NotFound, true)}},
		"a Secret that is gone, and is compared": {outcomes: outcomes{lacks(NotFound, false)}, recorded: refs{record("", "1")}},
		"a Secret that isn't named any longer":   {recorded: refs{record("", "1")}},
	} {
		t.Run(name, func(t *testing.T) {
			resolved := Resolved{outcomes: tc.outcomes}
			assert.Equal(t, tc.changed, Changed(resolved.Refs(), tc.recorded))
			assert.Equal(t, tc.unsent, resolved.Record(tc.recorded, false, true))
			if tc.sent == nil {
				tc.sent = tc.unsent
			}
			assert.Equal(t, tc.sent, resolved.Record(tc.recorded, true, true))
		})
	}
}
