package account

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestAProjectIsCreatedOnceAndPublishedWithItsAnswer(t *testing.T) {
	eachSide(t, func(t *testing.T, s side, w *world) {
		b := s.bind(w.client)
		w.On(s.list, s.listed())
		w.On(s.get, aiventest.Refused(http.StatusNotFound, "Project does not exist"))
		w.On(s.post, s.answer(s.one(nil)))
		o, err := b.observe(t)
		require.NoError(t, err)
		assert.False(t, o.Remote.Exists)
		o, err = b.create(t)
		require.NoError(t, err)
		assert.True(t, o.Remote.Active)
		assert.Equal(t, "the CA", o.Details.Prefixed()["CA_CERT"])
		calls := w.Calls()
		require.Len(t, calls, 4)
		assert.Equal(t, []string{s.list, s.get, readCA}, []string{calls[0], calls[1], calls[3]})

		w.On(s.list, s.listed(s.one(nil)))
		for range 3 {
			o, err = s.bindAgain(b, w).observe(t)
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Empty(t, o.Diff)
		}
		assert.Equal(t, []string{s.list}, w.Calls(), "at rest the list is enough")
	})
}

func TestAProjectWithoutMembersYetIsNotAbsent(t *testing.T) {
	eachSide(t, func(t *testing.T, s side, w *world) {
		b := s.bind(w.client)
		attempted(b)
		w.On(s.list, s.listed())
		w.On(s.get, aiventest.Refused(http.StatusNotFound, "Project does not exist"))
		w.On(s.post, s.answer(s.one(nil)))
		w.On(readCA, stranger)
		_, err := b.observe(t)
		require.NoError(t, err)
		w.On(s.get, stranger)
		o, err := b.create(t)
		require.NoError(t, err, "what can't be read yet is no failure of the creation")
		assert.True(t, o.Remote.Exists)
		assert.True(t, o.Details.Empty())
		for range 2 {
			w.now = w.now.Add(readLag)
			_, err = s.bindAgain(b, w).observe(t)
			assert.Equal(t, fault.Forbidden, fault.Of(err).Class, "%v", err)
		}
		w.On(s.list, s.listed(s.one(nil)))
		w.now = w.now.Add(2 * time.Minute)
		o, err = s.bindAgain(b, w).observe(t)
		require.NoError(t, err)
		assert.True(t, o.Remote.Active)
		assert.True(t, o.Details.Empty(), "its CA can't be read yet")
		w.On(readCA, aiventest.OK(aiventest.Object{"certificate": "the CA"}))
		o, err = s.bindAgain(b, w).observe(t)
		require.NoError(t, err)
		assert.Equal(t, "the CA", o.Details.Prefixed()["CA_CERT"])
	})
}

func TestAProjectThatWasPublishedNeedsItsCA(t *testing.T) {
	eachSide(t, func(t *testing.T, s side, w *world) {
		for _, status := range []int{http.StatusForbidden, http.StatusNotFound, http.StatusInternalServerError} {
			b := s.bind(w.client)
			b.object().GetCommonStatus().Binding = &v1alpha1.SecretBinding{Name: "x"}
			w.On(s.list, s.listed(s.one(nil)))
			w.On(readCA, aiventest.Refused(status, "no"))
			_, err := b.observe(t)
			require.Error(t, err, "the Secret that is there is kept")
		}
	})
}

func TestTheCAOfAProjectMayBeUnreadableForAWhile(t *testing.T) {
	young, old := metav1.Now(), metav1.NewTime(time.Now().Add(-time.Hour))
	eachSide(t, func(t *testing.T, s side, w *world) {
		for name, tc := range map[string]struct {
			since    *metav1.Time // of the provenance; nil for an object without one
			disabled bool         // no Secret is asked for
			class    fault.Class
		}{
			"of one that isn't ours":          {class: fault.None},
			"of one that was just created":    {since: &young, class: fault.None},
			"of one that is an hour old":      {since: &old, class: fault.Forbidden},
			"of one that publishes no Secret": {since: &old, disabled: true, class: fault.None},
		} {
			t.Run(name, func(t *testing.T) {
				b := s.bind(w.client)
				if tc.since != nil {
					b.object().GetCommonStatus().Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, Time: *tc.since}
				}
				fields := b.object().(interface{ GetSecretFields() *v1alpha1.SecretFields }).GetSecretFields()
				fields.ConnInfoSecretTargetDisabled = &tc.disabled
				w.On(s.list, s.listed(s.one(nil)))
				w.On(readCA, aiventest.Refused(http.StatusForbidden, "no"))
				_, err := b.observe(t)
				assert.Equal(t, tc.class, fault.Of(err).Class)
				if tc.class == fault.Forbidden {
					assert.Contains(t, fault.Of(err).Message, "ProjectKmsGetCA")
				}
			})
		}
	})
}

func TestOnlyA404IsAnAbsenceOfAProject(t *testing.T) {
	unknown := aiventest.Refused(http.StatusNotFound, "Project does not exist")
	eachSide(t, func(t *testing.T, s side, _ *world) {
		for name, tc := range map[string]struct {
			list, get aiventest.Answer
			class     fault.Class // None for absent
			calls     []string
		}{
			"in no list, and unknown":            {s.listed(), unknown, fault.None, []string{s.list, s.get}},
			"the list is refused, and unknown":   {aiventest.Refused(403, "no"), unknown, fault.None, []string{s.list, s.get}},
			"unknown to a list that fails":       {aiventest.Refused(500, "oops"), unknown, fault.Server, []string{s.list}},
			"in an answer without a list":        {aiventest.OK(nil), unknown, fault.Unknown, []string{s.list}},
			"the token has no permission for it": {s.listed(), aiventest.Refused(403, "Forbidden"), fault.Forbidden, []string{s.list, s.get}},
			"the token is rejected":              {aiventest.Refused(401, "Invalid token"), unknown, fault.Unauthorized, []string{s.list}},
			"it can't be read":                   {s.listed(), aiventest.Refused(502, "oops"), fault.Server, []string{s.list, s.get}},
			"it belongs to another customer":     {s.listed(), stranger, fault.Invalid, []string{s.list, s.get}},
		} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t)
				w.On(s.list, tc.list)
				w.On(s.get, tc.get)
				o, err := s.bind(w.client).observe(t)
				assert.Equal(t, tc.class, fault.Of(err).Class, "%v", err)
				assert.False(t, o.Remote.Exists)
				assert.Equal(t, tc.calls, w.Calls())
				if tc.class == fault.Invalid {
					require.ErrorContains(t, err, s.path+": the name is taken")
					assert.ErrorContains(t, err, "Recreate the object with another name")
				}
			})
		}
	})
}

func TestAProjectThatTheListDoesNotShowIsReadAlone(t *testing.T) {
	eachSide(t, func(t *testing.T, s side, w *world) {
		other := s.one(aiventest.Object{"project_name": "other", "project_id": "other"})
		for name, list := range map[string]aiventest.Answer{
			"it isn't in it": s.listed(other), "it is refused": aiventest.Refused(403, "no"), "it is cut off": cutOffList(s),
		} {
			w.On(s.list, list)
			w.On(s.get, s.answer(s.one(nil)))
			w.now = w.now.Add(time.Hour)
			o, err := s.bind(w.client).observe(t)
			require.NoError(t, err, name)
			assert.True(t, o.Remote.Active, name)
			assert.Empty(t, o.Diff, name)
		}
	})
}

// cutOffList may be a page: it has as many projects as fit on one.
func cutOffList(s side) aiventest.Answer {
	projects := make([]any, 999)
	for i := range projects {
		name := "p" + time.Duration(i).String()
		projects[i] = s.one(aiventest.Object{"project_name": name, "project_id": name})
	}
	return s.listed(projects...)
}

func TestANameThatIsTakenElsewhereIsRejectedAtOnce(t *testing.T) {
	unknown, exists := aiventest.Refused(404, "Project does not exist"), aiventest.Refused(409, "Project 'demo' already exists")
	eachSide(t, func(t *testing.T, s side, _ *world) {
		for name, tc := range map[string]struct {
			refusal, after aiventest.Answer
			early          bool
			class          fault.Class
		}{
			"it is unknown":                        {refusal: exists, after: unknown, class: fault.Invalid},
			"only its members do":                  {refusal: exists, after: stranger, class: fault.Invalid},
			"an earlier process may have made it":  {refusal: exists, after: unknown, early: true, class: fault.Exists},
			"it is there now":                      {refusal: exists, after: s.answer(s.one(nil)), class: fault.Exists},
			"Aiven fails":                          {refusal: exists, after: aiventest.Refused(500, "oops"), class: fault.Exists},
			"the conflict isn't about the name":    {refusal: aiventest.Refused(409, "Try again"), after: s.answer(s.one(nil)), class: fault.Conflict},
			"the refusal isn't about what exists":  {refusal: aiventest.Refused(400, "Invalid cloud"), after: unknown, class: fault.Rejected},
			"the creation isn't permitted":         {refusal: aiventest.Refused(403, "no"), after: unknown, class: fault.Forbidden},
			"Aiven isn't ready for new projects":   {refusal: aiventest.Refused(503, "later"), after: unknown, class: fault.NotReady},
			"the billing group or account is none": {refusal: aiventest.Refused(404, "Billing group does not exist"), after: unknown, class: fault.NotFound},
		} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t)
				if tc.early {
					w.now = w.now.Add(-readLag)
				}
				w.On(s.list, s.listed())
				w.On(s.get, unknown, tc.after)
				w.On(s.post, tc.refusal)
				b := s.bind(w.client)
				_, err := b.observe(t)
				require.NoError(t, err)
				_, err = b.create(t)
				assert.Equal(t, tc.class, fault.Of(err).Class, "%v", err)
				if tc.class == fault.Invalid {
					assert.ErrorContains(t, err, s.path+": the name is taken")
				}
			})
		}
	})
}

func TestOneProjectHasOneIdentityForBothKinds(t *testing.T) {
	a, b := Project.Identity(newProject()), OrganizationProject.Identity(newOrganizationProject())
	assert.Equal(t, a, b)
	assert.Equal(t, controllers.Identity{Group: "project", Name: "demo"}, a)
}

func TestAProjectThatWasCreatedAgainHasAnotherCA(t *testing.T) {
	eachSide(t, func(t *testing.T, s side, w *world) {
		w.On(s.list, s.listed(s.one(nil)))
		b := s.bind(w.client)
		_, err := b.observe(t)
		require.NoError(t, err)
		w.On(s.list, s.listed())
		w.On(s.get, aiventest.Refused(404, "Project does not exist"))
		w.On(s.post, s.answer(s.one(nil)))
		w.On(readCA, aiventest.OK(aiventest.Object{"certificate": "another CA"}))
		w.now = w.now.Add(5 * time.Minute)
		b = s.bindAgain(b, w)
		_, err = b.observe(t)
		require.NoError(t, err)
		o, err := b.create(t)
		require.NoError(t, err)
		assert.Equal(t, "another CA", o.Details.Prefixed()["CA_CERT"])
	})
}

func TestEmailAddressesAreComparedAsAivenStoresThem(t *testing.T) {
	assert.Equal(t, []string{"A@example.com", "a@example.com", "b@example.com", "none"},
		addresses([]string{"b@EXAMPLE.com", "a@Example.com", "A@example.com", "none", "a@example.COM"}))
	assert.Equal(t, []string{}, addresses(nil))
}
