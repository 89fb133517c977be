package reference

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// network is the value that these tests' kind takes from its target.
type network struct {
	id, cidr string
}

// networkOf reads the referrer and the target.
func networkOf(referrer *corev1.ConfigMap, target *v1alpha1.ProjectVPC) (network, error) {
	switch {
	case target.Spec.Project != referrer.Labels["project"]:
		return network{}, fault.InvalidSpec("spec.network", "ProjectVPC apps/main belongs to another project")
	case target.Status.State == "":
		return network{}, fault.NotYet("ProjectVPC apps/main has no state yet")
	case target.Status.State == "BROKEN":
		return network{}, errors.New("ProjectVPC apps/main is broken")
	default:
		return network{target.Status.ID, target.Spec.NetworkCidr}, nil
	}
}

func TestKindDecidesWhatItsTargetsOffer(t *testing.T) {
	const ready = "conditions: [{type: Ready, status: 'True'}]"
	for name, tc := range map[string]struct {
		object   string
		deleting bool
		state    State
		reason   string
		message  string
		class    fault.Class
		want     network
	}{
		"and gets a typed value": {
			object: "spec: {project: demo, networkCidr: 10.0.0.0/24}\nstatus: {id: a, state: ACTIVE, " + ready + "}",
			state:  Ready, reason: "Ready", message: "ProjectVPC apps/main is ready", want: network{"a", "10.0.0.0/24"},
		},
		"and refuses one of another project for good": {
			object: "spec: {project: other}\nstatus: {state: ACTIVE, " + ready + "}",
			state:  Invalid, reason: "InvalidSpec", class: fault.Invalid,
			message: "spec.network: ProjectVPC apps/main belongs to another project",
		},
		"and waits for a state": {
			object: "spec: {project: demo}\nstatus: {" + ready + "}",
			state:  NotReady, reason: "NotReady", message: "ProjectVPC apps/main has no state yet",
		},
		"and waits after any other error": {
			object: "spec: {project: demo}\nstatus: {state: BROKEN, " + ready + "}",
			state:  NotReady, reason: "NotReady", message: "ProjectVPC apps/main is broken",
		},
		"and isn't called for a target that isn't ready": {
			object: "spec: {project: other}\nstatus: {conditions: [{type: Ready, status: 'False', reason: Conflict}]}",
			state:  NotReady, reason: "Conflict", message: "ProjectVPC apps/main, named by spec.Peer, isn't ready (Conflict)",
		},
		"and a target of another shape isn't ready": {
			object: "spec: {project: [demo]}\nstatus: {" + ready + "}",
			state:  NotReady, reason: "NotReady", message: "ProjectVPC apps/main can't be decoded",
		},
		"and a target that isn't ready serves a deletion": {
			object: "spec: {project: demo}\nstatus: {id: a, state: ACTIVE, conditions: [{type: Ready, status: 'False'}]}", deleting: true,
			state: Ready, reason: "Ready", message: "ProjectVPC apps/main is ready", want: network{"a", ""},
		},
		"and a target that is being deleted serves a deletion": {
			object: `
metadata: {deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [example.org/wait]}
spec: {project: demo}
status: {id: a, state: ACTIVE}`, deleting: true,
			state: Ready, reason: "Ready", message: "ProjectVPC apps/main is ready", want: network{"a", ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := declare("Peer", vpcKind, to("/main", ""))
			d.Ready = Typed(networkOf)
			obj := referrer("apps", "x")
			obj.Labels = map[string]string{"project": "demo"}
			if tc.deleting {
				obj.DeletionTimestamp = ptr.To(metav1.Now())
			}
			resolved := Resolver{Reader: readerOf(vpc(t, tc.object))}.Resolve(t.Context(), obj, []Declaration{d})
			o := only(t, resolved)
			assert.Equal(t, tc.state, o.State)
			assert.Equal(t, tc.reason, o.Reason)
			assert.Equal(t, tc.message, o.Message)
			if tc.class == "" {
				require.NoError(t, o.Err)
			} else {
				assert.Equal(t, tc.class, fault.Of(o.Err).Class)
			}
			value, ok := Value[network](resolved, "Peer", 0)
			assert.Equal(t, tc.state == Ready, ok)
			assert.Equal(t, tc.want, value)
			assert.Empty(t, resolved.ID("Peer"), "a value of another type is no id")
		})
	}
}

func TestValuesOfManyTargets(t *testing.T) {
	second := vpc(t, `status: {id: 8, conditions: [{type: Ready, status: "True"}]}`)
	second.SetName("second")
	waiting := vpc(t, `status: {conditions: [{type: Ready, status: "False"}]}`)
	waiting.SetName("waiting")
	reader := readerOf(vpc(t, `status: {id: 7, conditions: [{type: Ready, status: "True"}]}`), second, waiting, passwordSecret())
	resolve := func(targets ...Target) Resolved {
		return Resolver{Reader: reader}.Resolve(t.Context(), referrer("apps", "x"), []Declaration{
			declare("Source", SecretKind, to("/password", "value"), to("/password", "user"), to("/password", "none")),
			declare("Peer", vpcKind, targets...),
		})
	}
	all := resolve(to("/main", ""), to("/second", ""))
	ids, ok := Values[int64](all, "Peer")
	assert.True(t, ok)
	assert.Equal(t, []int64{7, 8}, ids)
	_, ok = Values[string](all, "Peer")
	assert.False(t, ok, "they are numbers")
	_, ok = Value[int64](all, "Peer", 2)
	assert.False(t, ok, "there are two")
	assert.Equal(t, "7", all.ID("Peer"))
	user, ok := Value[[]byte](all, "Source", 1)
	assert.True(t, ok)
	assert.Equal(t, "eve", string(user))
	_, ok = Value[string](all, "Source", 1)
	assert.False(t, ok, "a Secret holds bytes")
	_, ok = Values[[]byte](all, "Source")
	assert.False(t, ok, "one key is missing")
	none, ok := Values[int64](all, "None")
	assert.True(t, ok)
	assert.Empty(t, none)

	_, ok = Values[int64](resolve(to("/main", ""), to("/waiting", "")), "Peer")
	assert.False(t, ok, "one isn't ready")
	assertSilent(t, all)
}

func TestASecretIsReadOnceForAllOfItsKeys(t *testing.T) {
	reads := 0
	reader := counting{readerOf(passwordSecret()), &reads}
	resolved := Resolver{Reader: reader}.Resolve(t.Context(), referrer("apps", "x"), []Declaration{
		declare("Source", SecretKind, to("/password", "value"), to("/password", "user")), declare("Other", SecretKind, to("/password", "")),
	})
	assert.Len(t, resolved.Outcomes(), 3)
	assert.Len(t, resolved.Refs(), 1, "the status lists it once")
	assert.Equal(t, 1, reads)
}

// counting is a reader that counts its reads.
type counting struct {
	client.Reader
	reads *int
}

func (c counting) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	*c.reads++
	return c.Reader.Get(ctx, key, obj, opts...)
}
