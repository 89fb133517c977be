package reference

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// A deletion that waits for the referrers of its target doesn't take the target from them.
func TestATargetThatItsReferrersHoldBackStaysReadyForThoseThatUseIt(t *testing.T) {
	const (
		dying   = "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [example.org/wait]}\n"
		blocked = dying + "status: {id: vpc-id, conditions: [{type: Ready, status: Unknown, reason: DeletionBlocked}]}"
		unseen  = dying + "status: {id: vpc-id, conditions: [{type: Ready, status: 'True', reason: ReconciliationSucceeded, observedGeneration: 1}]}"
		begun   = dying + "status: {id: vpc-id, conditions: [{type: Ready, status: Unknown, reason: Deleting}]}"
		failing = dying + "status: {id: vpc-id, conditions: [{type: Ready, status: Unknown, reason: ProgressingWithRetry}]}"
	)
	used := v1alpha1.ResolvedReference{Kind: "ProjectVPC", Namespace: "apps", Name: "main", UID: "v-1", ID: "vpc-id"}
	another := used
	another.UID = "v-0"
	for name, tc := range map[string]struct {
		object   string
		recorded []v1alpha1.ResolvedReference
		passes   bool // the reference doesn't hold back deletions
		want     State
	}{
		"its deletion waits":                           {object: blocked, recorded: []v1alpha1.ResolvedReference{another, used}, want: Ready},
		"its deletion wasn't reconciled yet":           {object: unseen, recorded: []v1alpha1.ResolvedReference{used}, want: Ready},
		"its deletion has begun":                       {object: begun, recorded: []v1alpha1.ResolvedReference{used}, want: NotReady},
		"how far its deletion came isn't known":        {object: failing, recorded: []v1alpha1.ResolvedReference{used}, want: NotReady},
		"it was never used":                            {object: blocked, want: NotReady},
		"another one of the name was used":             {object: blocked, recorded: []v1alpha1.ResolvedReference{another}, want: NotReady},
		"the reference doesn't hold back its deletion": {object: blocked, recorded: []v1alpha1.ResolvedReference{used}, passes: true, want: NotReady},
	} {
		t.Run(name, func(t *testing.T) {
			d := declare("ProjectVPC", vpcKind, to("/main", ""))
			d.BlocksDeletion = !tc.passes
			user := &v1alpha1.Kafka{}
			user.Namespace, user.Name = "apps", "x"
			user.Status.ResolvedRefs = tc.recorded
			resolved := Resolver{Reader: readerOf(vpc(t, tc.object))}.Resolve(t.Context(), user, []Declaration{d})
			o := only(t, resolved)
			assert.Equal(t, tc.want, o.State)
			if tc.want == Ready {
				assert.Equal(t, "vpc-id", o.ID())
				assert.Equal(t, "ProjectVPC apps/main is ready, and isn't deleted before this object", o.Message)
			} else {
				assert.Equal(t, "Deleting", o.Reason)
			}
		})
	}
}

func TestAReplacedTargetStaysRecordedUntilTheResourceIsSettled(t *testing.T) {
	const (
		ready   = `status: {id: vpc-id, conditions: [{type: Ready, status: "True"}]}`
		unready = "status: {id: vpc-id, conditions: [{type: Ready, status: Unknown, reason: Progressing}]}"
	)
	record := func(uid types.UID) v1alpha1.ResolvedReference {
		return v1alpha1.ResolvedReference{Kind: "ProjectVPC", Namespace: "apps", Name: "main", UID: uid, ID: "vpc-id"}
	}
	type refs = []v1alpha1.ResolvedReference
	for name, tc := range map[string]struct {
		status             string
		recorded           refs
		unsettled, settled refs
	}{
		"the same one":                    {ready, refs{record("v-1")}, refs{record("v-1")}, refs{record("v-1")}},
		"another one":                     {ready, refs{record("v-0")}, refs{record("v-1"), record("v-0")}, refs{record("v-1")}},
		"another one, for the third time": {ready, refs{record("v-0"), record("v-")}, refs{record("v-1"), record("v-")}, refs{record("v-1")}},
		"another one, still":              {ready, refs{record("v-1"), record("v-0")}, refs{record("v-1"), record("v-0")}, refs{record("v-1")}},
		"another one that isn't ready":    {unready, refs{record("v-0")}, refs{record("v-0")}, refs{record("v-0")}},
		"the same one isn't ready":        {unready, refs{record("v-1")}, refs{record("v-1")}, refs{record("v-1")}},
	} {
		t.Run(name, func(t *testing.T) {
			user := &v1alpha1.Kafka{}
			user.Namespace, user.Name = "apps", "x"
			resolved := Resolver{Reader: readerOf(vpc(t, tc.status))}.Resolve(t.Context(), user, []Declaration{declare("ProjectVPC", vpcKind, to("/main", ""))})
			assert.Equal(t, tc.unsettled, resolved.Record(tc.recorded, false, false))
			assert.Equal(t, tc.settled, resolved.Record(tc.recorded, false, true))
		})
	}
}

func TestATargetInUseIsRecordedWhileItIsUnready(t *testing.T) {
	const unready = "status: {id: vpc-id, conditions: [{type: Ready, status: Unknown, reason: Progressing}]}"
	used := v1alpha1.ResolvedReference{Kind: "ProjectVPC", Namespace: "apps", Name: "main", UID: "v-1", ID: "vpc-id"}
	another := used
	another.UID = "v-0"
	type refs = []v1alpha1.ResolvedReference
	for name, tc := range map[string]struct {
		recorded refs
		passes   bool // the reference doesn't hold back deletions
		want     refs
	}{
		"it was used":                                  {recorded: refs{used}, want: refs{used}},
		"another one of the name was used":             {recorded: refs{another}, want: refs{another}},
		"it was used, and another one before":          {recorded: refs{used, another}, want: refs{used, another}},
		"the reference doesn't hold back its deletion": {recorded: refs{used}, passes: true, want: refs{used}},
	} {
		t.Run(name, func(t *testing.T) {
			d := declare("ProjectVPC", vpcKind, to("/main", ""), to("/main", "spec.another"))
			d.BlocksDeletion = !tc.passes
			user := &v1alpha1.Kafka{}
			user.Namespace, user.Name = "apps", "x"
			resolved := Resolver{Reader: readerOf(vpc(t, unready))}.Resolve(t.Context(), user, []Declaration{d})
			assert.Equal(t, tc.want, resolved.Record(tc.recorded, false, true))
		})
	}
}
