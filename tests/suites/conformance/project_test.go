package conformance_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/project"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// projectKinds are Project and OrganizationProject.
func projectKinds(t *testing.T, test func(t *testing.T, k kind)) {
	for _, k := range accountKinds {
		if isProject(k) {
			t.Run(k.name, func(t *testing.T) { t.Parallel(); test(t, k) })
		}
	}
}

func TestAProjectWithoutMembersAtFirstIsCreatedOnce(t *testing.T) {
	t.Parallel()
	projectKinds(t, func(t *testing.T, k kind) {
		e := testenv.New(t, testenv.Options{
			Kinds: k.needs(), Aiven: localaiven.Options{MembershipTime: 3 * time.Second},
			Config: func(c *config.Config) { c.AuthGrace, c.BackoffMax = time.Minute, time.Second },
		})
		obj := e.Example(k.example)
		e.Create(obj)
		e.Wait(obj, testenv.Ready())
		assert.Equal(t, []string{k.create}, e.Aiven.Writes(0))
		for _, state := range e.History(obj) {
			if ready := testenv.Find(state, "Ready"); ready != nil {
				assert.NotEqual(t, metav1.ConditionFalse, ready.Status, ready.Message)
			}
			assert.Nil(t, testenv.Find(state, "Error"))
		}
		e.Delete(obj)
		e.WaitGone(obj)
		assert.Zero(t, count(e, k))
	})
}

func TestANameOfAnotherCustomersProjectIsAnInvalidSpec(t *testing.T) {
	t.Parallel()
	projectKinds(t, func(t *testing.T, k kind) {
		e := testenv.New(t, testenv.Options{Kinds: k.needs(), Aiven: localaiven.Options{ForeignProjects: []string{"theirs"}}})
		obj := e.Example(k.example)
		field := "metadata.name"
		switch obj := obj.(type) {
		case *v1alpha1.Project:
			obj.Name = "theirs"
		case *v1alpha1.OrganizationProject:
			obj.Spec.ProjectID, field = "theirs", "spec.projectId"
		}
		e.Create(obj)
		e.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"), testenv.Saying("Ready", field+": the name is taken"),
			testenv.Phase(v1alpha1.PhaseFailed))
		e.Rest(2)
		assert.Empty(t, e.Aiven.Writes(0))
		e.Delete(obj)
		e.WaitGone(obj)
	})
}

func TestANameThatOnlyItsCreationShowsAsTakenIsAnInvalidSpec(t *testing.T) {
	t.Parallel()
	projectKinds(t, func(t *testing.T, k kind) {
		e := testenv.New(t, testenv.Options{Kinds: k.needs()})
		taken := []byte(`{"message":"Project already exists","errors":[{"message":"Project already exists"}]}`)
		e.Aiven.Fail(k.create, localaiven.Effect{Status: http.StatusConflict, Body: taken}, 0)
		obj := e.Example(k.example)
		e.Create(obj)
		e.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"), testenv.Saying("Ready", "the name is taken"))
		e.Aiven.RemoveFaults()
		e.Wait(obj, testenv.Ready())
	})
}

func TestOfAProjectAndAProjectOfAnOrganizationTheFirstManagesIt(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][]string{
		"project first": {"project", "organizationproject"}, "project last": {"organizationproject", "project"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := testenv.New(t, testenv.Options{Kinds: []string{"Project", "OrganizationProject"}})
			first, second := e.Example(order[0]), e.Example(order[1])
			for _, obj := range []testenv.Object{first, second} {
				if in, ok := obj.(*v1alpha1.OrganizationProject); ok {
					in.Spec.ProjectID = projectName
				}
			}
			e.Create(first)
			e.Wait(first, testenv.Ready())
			mark := e.Aiven.Mark()
			e.Create(second)
			e.Wait(second, testenv.Condition("Ready", metav1.ConditionFalse, "Conflict"), testenv.Saying("Ready", first.GetName()))
			e.Delete(second)
			e.WaitGone(second)
			assert.Empty(t, e.Aiven.Writes(mark))
			assert.Equal(t, 1, e.Aiven.Count("project", projectName))
			e.Wait(first, testenv.Ready())
		})
	}
}

func TestACopyOfAProjectKeepsWhatItsSpecLeavesOut(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"Project"}})
	tags := map[string]string{"from": "source"}
	_, err := e.Aiven.Console.ProjectCreate(t.Context(), &project.ProjectCreateIn{ //nolint:staticcheck // as the kind
		Project: "source", Tags: &tags, TechEmails: &[]project.TechEmailIn{{Email: "source@example.com"}},
	})
	require.NoError(t, err)
	obj := e.Example("project").(*v1alpha1.Project)
	obj.Spec = v1alpha1.ProjectSpec{AuthSecretRefField: obj.Spec.AuthSecretRefField, CopyFromProject: "source", Cloud: wantedCloud}
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	e.Rest(2)
	assert.Equal(t, []string{"ProjectCreate"}, e.Aiven.Writes(0))
	found, err := e.Aiven.Console.ProjectGet(t.Context(), projectName) //nolint:staticcheck // as the kind
	require.NoError(t, err)
	assert.Equal(t, tags, found.Tags)
	assert.Equal(t, []project.TechEmailOut{{Email: "source@example.com"}}, found.TechEmails)
	assert.Equal(t, wantedCloud, found.DefaultCloud)
}

func TestWhatAivenDoesNotReturnOfAProjectIsSentOnce(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"Project"}, Aiven: localaiven.Options{Variants: localaiven.Variants{OmitBilling: true}}})
	obj := e.Example("project").(*v1alpha1.Project)
	obj.Spec.BillingAddress, obj.Spec.BillingCurrency, obj.Spec.CountryCode = "NYC", "EUR", "DE"
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	e.Change(obj, func() { obj.Spec.BillingExtraText = "cost center 7" })
	e.Wait(obj, testenv.Ready())
	e.Rest(3)
	assert.Equal(t, []string{"ProjectCreate", "ProjectUpdate"}, e.Aiven.Writes(0))
}

func TestABalanceThatMovesIsWrittenOncePerPoll(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"Project"}, Config: testenv.OnlyWatches})
	obj := e.Example("project").(*v1alpha1.Project)
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	listedAgain := func() {
		mark := e.Aiven.Mark()
		e.Until(func() bool {
			lists := 0
			for _, call := range e.Aiven.Calls(mark) {
				if call.Operation == "ProjectList" {
					lists++
				}
			}
			return lists > 2
		}, func() string { return "the projects aren't listed again" })
	}
	listedAgain() // the first list that has the project enqueues it
	request(e, obj, "before")
	revision := obj.ResourceVersion
	require.NoError(t, e.Aiven.PatchProject(projectName, "12.50"))
	listedAgain()
	e.Get(obj)
	assert.Equal(t, revision, obj.ResourceVersion, "a watch that sees the balance writes nothing")
	e.Annotate(obj, requested, "now")
	e.Until(func() bool { e.Get(obj); return obj.Status.EstimatedBalance == "12.50" }, func() string { return "the balance isn't in the status" })
}

func TestWhatIsInAProjectKeepsIt(t *testing.T) {
	t.Parallel()
	projectKinds(t, func(t *testing.T, k kind) {
		e := testenv.New(t, testenv.Options{Kinds: k.needs()})
		obj := e.Example(k.example)
		e.Create(obj)
		e.Wait(obj, testenv.Ready())
		e.Aiven.Service(k.path, serviceName)
		require.NoError(t, e.Aiven.PatchProject(k.path, "12.50"))
		mark := e.Aiven.Mark()
		e.Delete(obj)
		blocked := testenv.Condition("Ready", metav1.ConditionUnknown, "DeletionBlocked")
		e.Wait(obj, blocked, testenv.Saying("Ready", "service "+serviceName))
		assert.Empty(t, e.Aiven.Writes(mark))
		require.NoError(t, e.Aiven.Console.ServiceDelete(t.Context(), k.path, serviceName))
		e.Wait(obj, blocked, testenv.Saying("Ready", "open balance of 12.50 USD"))
		assert.Equal(t, 1, count(e, k))
		require.NoError(t, e.Aiven.PatchProject(k.path, "0.00"))
		e.WaitGone(obj)
		assert.Zero(t, count(e, k))
	})
}

func TestADeletionOfAProjectWithAKnownOpenBalanceIsRefusedAtAdmission(t *testing.T) {
	t.Parallel()
	e := idle(t)
	for name, tc := range map[string]struct {
		balance, account, annotation, value string
		refused                             bool
	}{
		"never observed":           {},
		"nothing to pay":           {balance: "0.00"},
		"something to pay":         {balance: "12.50", refused: true},
		"the account pays":         {balance: "12.50", account: "a1"},
		"it stays at Aiven":        {balance: "12.50", annotation: deletionPolicy, value: "Orphan"},
		"it is only observed":      {balance: "12.50", annotation: managementPolicy, value: "Observe"},
		"it is to be deleted":      {balance: "12.50", annotation: deletionPolicy, value: "Delete", refused: true},
		"it is corrected as usual": {balance: "12.50", annotation: driftPolicy, value: "Correct", refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			obj := e.Example("project").(*v1alpha1.Project)
			obj.Name = strings.ToLower(strings.ReplaceAll(name, " ", "-"))
			obj.Spec.AccountID = tc.account
			if tc.annotation != "" {
				metav1.SetMetaDataAnnotation(&obj.ObjectMeta, tc.annotation, tc.value)
			}
			e.Create(obj)
			if tc.balance != "" {
				require.NoError(t, e.Client.Status().Patch(t.Context(), obj, client.RawPatch("application/merge-patch+json",
					[]byte(`{"status":{"estimatedBalance":"`+tc.balance+`"}}`))))
			}
			err := e.Client.Delete(t.Context(), obj)
			if !tc.refused {
				require.NoError(t, err)
				return
			}
			require.True(t, apierrors.IsForbidden(err), "%v", err)
			assert.Contains(t, err.Error(), "open balance of 12.50 USD at the latest poll")
			assert.Contains(t, err.Error(), "deletion-policy to Orphan")
		})
	}
}
