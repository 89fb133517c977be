package conformance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/sampling"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// requirement is a sentence that holds for every kind that it applies to. With one kind it makes a conformance case.
type requirement struct {
	says    string // a sentence
	proves  string // ids of requirements
	applies func(kind) bool
	options testenv.Options
	// bare leaves the service out, and what is in it: the check makes them.
	bare bool
	// variants are how many ways there are to check it: the commit draws one for each kind, and -crash.all takes all.
	variants int
	check    func(*testCase)
}

// testCase is one requirement checked on one kind. The object is the kind's example, and not created yet.
type testCase struct {
	*testenv.Env
	kind    kind
	obj     testenv.Object
	marks   int // markers that were made
	variant int // below those of the requirement
}

// is reports whether a choice of two that a variant consists of is made: the first, the second and so on, of as many as double it.
func (s *testCase) is(choice int) bool { return s.variant>>choice&1 == 1 }

// Kinds that a requirement applies to.
func canChange(k kind) bool       { return k.change != nil }
func canDrift(k kind) bool        { return k.drift != nil }
func canBeSentAgain(k kind) bool  { return canChange(k) && !k.isReplaced() } // another resource isn't made where the spec's is there
func hasSecret(k kind) bool       { return k.publishes() }
func isAlone(k kind) bool         { return !k.overlaps }
func livesInAService(k kind) bool { return k.in != nil }
func isProject(k kind) bool       { return k.resource == "project" }

// The families of requirements are in files of their own.
var allRequirements = slices.Concat(lifecycleRequirements, deletionRequirements, errorRequirements, tokenRequirements, serviceRequirements, secretRequirements, ownershipRequirements, contestRequirements, takeoverRequirements, inputRequirements, approvalRequirements, costRequirements)

// With -crash.all, only what that widens is checked.
func TestEveryKindMeetsEveryRequirement(t *testing.T) {
	t.Parallel()
	for _, r := range allRequirements {
		if *sampling.Whole && r.variants == 0 {
			continue
		}
		require.NotContains(t, r.says, "/", "a level of -run: 'TestEvery.*//^Database$' would leave it out")
		t.Run(r.says+" ("+r.proves+")", func(t *testing.T) {
			t.Parallel()
			for _, k := range allKinds {
				if r.applies == nil || r.applies(k) {
					t.Run(k.name, func(t *testing.T) {
						t.Parallel()
						r.on(t, k)
					})
				}
			}
		})
	}
}

// on checks a requirement on a kind.
func (r requirement) on(t *testing.T, k kind) {
	t.Helper()
	if r.variants == 0 {
		r.check(newCase(t, k, r.options, r.bare))
		return
	}
	first, number := sampling.Choice(sampling.Commit, r.variants, k.name, r.says), 1
	if *sampling.Whole {
		first, number = 0, r.variants
	}
	for variant := first; variant < first+number; variant++ {
		t.Run(fmt.Sprintf("variant %d of %d", variant+1, r.variants), func(t *testing.T) {
			t.Parallel()
			s := newCase(t, k, r.options, r.bare)
			s.variant = variant
			r.check(s)
		})
	}
}

// missing are the fields of an entry that every kind has, and this one doesn't yet.
func (k kind) missing() []string {
	var fields []string
	for name, missing := range map[string]bool{
		"resource": k.resource == "", "path": k.path == "", "create": k.create == "", "remove": k.remove == nil,
		"keys": k.prefix != "" && len(k.keys) == 0, "change": k.update != "" && k.change == nil,
		"drift": k.update != "" && k.drift == nil && !k.once && !k.isReplaced(), // a password that is returned once can't be compared
	} {
		if missing {
			fields = append(fields, name)
		}
	}
	slices.Sort(fields)
	return fields
}

func TestEveryEntryIsFilledIn(t *testing.T) {
	for _, k := range allKinds {
		t.Run(k.name, func(t *testing.T) {
			require.Empty(t, k.missing(), "fill in the entry of %s in allKinds", k.name)
		})
	}
}

// A requirement leaves no kind out that it could be checked on: what an entry lacks, its type lacks too.
func TestEveryEntryIsLikeItsType(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	for _, k := range allKinds {
		t.Run(k.name, func(t *testing.T) {
			obj, err := scheme.New(v1alpha1.GroupVersion.WithKind(k.name))
			require.NoError(t, err)
			_, publishes := obj.(interface{ GetSecretFields() *v1alpha1.SecretFields })
			assert.Equal(t, publishes, k.publishes(), "keys in the Secret")
			_, isInside := obj.(interface {
				GetServiceDependant() *v1alpha1.ServiceDependant
			})
			assert.True(t, !isInside || k.in != nil, "the service it lives in")
			_, isService := obj.(interface {
				GetBaseServiceFields() *v1alpha1.BaseServiceFields
			})
			assert.Equal(t, isService, k.resource == "service")
		})
	}
}

// newCase starts the controllers that a case needs, and no others.
func newCase(t *testing.T, k kind, o testenv.Options, bare bool) *testCase {
	t.Helper()
	require.Empty(t, k.missing(), "fill in the entry of %s in allKinds", k.name)
	o.Kinds = k.needs()
	e := testenv.New(t, o)
	s := &testCase{Env: e, kind: k, obj: e.Example(k.example)}
	if !bare {
		s.prepare()
	}
	return s
}

// prepare makes at the console what the resource needs.
func (s *testCase) prepare() {
	if s.kind.in != nil {
		makeService(s.Env, s.kind.in)
	}
	s.prepareService()
}

// prepareService makes what has to be in the service.
func (s *testCase) prepareService() {
	if s.kind.inside != nil {
		s.kind.inside(s.Env)
	}
}

// begin creates the object and waits until it is ready.
func (s *testCase) begin() {
	s.T.Helper()
	s.Create(s.obj)
	s.Wait(s.obj, testenv.Ready(), testenv.Phase(s.kind.phase))
}

// edit makes the change that takes one update.
func (s *testCase) edit() {
	s.T.Helper()
	s.Change(s.obj, func() { s.kind.change(s.Env, s.obj) })
}

// there reports whether the resource is at Aiven.
func (s *testCase) there() bool { return count(s.Env, s.kind) > 0 }

// count is how many resources there are of an object.
func count(e *testenv.Env, k kind) int {
	n := 0
	for _, r := range e.Aiven.Resources() {
		id, _, _ := strings.Cut(r.ID, "#")
		path := strings.ReplaceAll(k.path, "{project}", e.Project)
		if r.Type == k.resource && (id == e.Project+"/"+path || isProject(k) && id == path || k.isReplaced() && id == e.Project+"/"+k.changed) {
			n++
		}
	}
	return n
}

// remove removes the resource at the console.
func (s *testCase) remove() {
	s.T.Helper()
	require.NoError(s.T, s.kind.remove(s.Env))
}

// atOnce are options for requirements that a timer must not fulfill.
var atOnce = testenv.Options{Config: testenv.OnlyWatches}

// withConfig are options that change the configuration.
func withConfig(change func(*config.Config)) testenv.Options {
	return testenv.Options{Config: change}
}
