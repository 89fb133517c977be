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
	secret := func(uid types.UID, version string) v1alpha1.ResolvedReference {
		return v1alpha1.ResolvedReference{Kind: "Secret", Namespace: "apps", Name: "password", UID: uid, ResourceVersion: version}
	}
	network := v1alpha1.ResolvedReference{Kind: "ProjectVPC", Namespace: "apps", Name: "password", UID: "v"}
	type refs = []v1alpha1.ResolvedReference
	for name, tc := range map[string]struct {
		refs, recorded refs
		changed        bool
		kept           refs
	}{
		"nothing is referred to":                 {kept: refs{}},
		"the first version is recorded":          {refs: refs{secret("", "1")}, kept: refs{secret("", "1")}},
		"the same version":                       {refs: refs{secret("", "1")}, recorded: refs{secret("", "1")}, kept: refs{secret("", "1")}},
		"another version":                        {refs: refs{secret("", "2")}, recorded: refs{secret("", "1")}, changed: true, kept: refs{secret("", "1")}},
		"another Secret of the same name":        {refs: refs{secret("new", "1")}, recorded: refs{secret("", "1")}, changed: true, kept: refs{secret("", "1")}},
		"a record of an older operator":          {refs: refs{secret("", "2")}, recorded: refs{secret("", "")}, kept: refs{secret("", "2")}},
		"a Secret whose version isn't recorded":  {refs: refs{secret("", "")}, recorded: refs{secret("", "1")}, kept: refs{secret("", "")}},
		"an object of another kind, of the name": {refs: refs{network, secret("", "1")}, recorded: refs{network, secret("", "1")}, kept: refs{network, secret("", "1")}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.changed, Changed(tc.refs, tc.recorded))
			assert.Equal(t, tc.kept, KeepVersions(tc.refs, tc.recorded))
		})
	}
}
