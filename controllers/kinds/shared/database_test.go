package shared

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

const (
	lookup = "GET service/my-pg"
	ca     = "GET kms/ca"
)

func database(edits ...func(*v1alpha1.DatabaseSpec)) *v1alpha1.Database {
	obj := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "orders"}}
	obj.Spec.Project, obj.Spec.ServiceName = aiventest.Project, "my-pg"
	obj.Spec.LcCollate, obj.Spec.LcCtype = "en_US.UTF-8", "C"
	for _, edit := range edits {
		edit(&obj.Spec)
	}
	return obj
}

func TestDatabase(t *testing.T) {
	const route = "POST service/my-pg/db"
	has := aiventest.Object{"databases": []any{"defaultdb", "orders", "the_orders"}}
	mysql := aiventest.Object{"service_type": "mysql"}
	for name, tc := range map[string]struct {
		obj           *v1alpha1.Database
		before, after aiventest.Object
		refused       bool
		answer        aiventest.Object // to the creation; nil is Aiven's
		pending       bool
		calls         []string
	}{
		"in sync": {obj: database(), before: has, calls: []string{lookup}},
		"under another name than the object's": {
			obj: database(func(s *v1alpha1.DatabaseSpec) { s.DatabaseName = "the_orders" }), before: has, calls: []string{lookup},
		},
		"create": {
			obj: database(), after: has,
			calls: []string{lookup, route + ` {"database":"orders","lc_collate":"en_US.UTF-8","lc_ctype":"C"}`},
		},
		"create with an answer that confirms nothing": {
			obj: database(), answer: aiventest.Object{"message": []any{}}, after: has,
			calls: []string{lookup, route + ` {"database":"orders","lc_collate":"en_US.UTF-8","lc_ctype":"C"}`, lookup},
		},
		"create that no read confirms": {
			obj: database(), answer: aiventest.Object{}, pending: true,
			calls: []string{lookup, route + ` {"database":"orders","lc_collate":"en_US.UTF-8","lc_ctype":"C"}`, lookup},
		},
		"create without locales": {
			obj:   database(func(s *v1alpha1.DatabaseSpec) { s.LcCollate, s.LcCtype = "", "" }),
			after: has, calls: []string{lookup, route + ` {"database":"orders"}`},
		},
		"create in MySQL, which has no locales": {
			obj: database(), before: mysql, after: has, calls: []string{lookup, route + ` {"database":"orders"}`},
		},
		"create refused": {
			obj: database(), refused: true,
			calls: []string{lookup, route + ` {"database":"orders","lc_collate":"en_US.UTF-8","lc_ctype":"C"}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(tc.before), aiventest.Service(tc.after))
			if tc.answer == nil {
				tc.answer = aiventest.Object{"message": "created"}
			}
			a.On(route, aiventest.OK(tc.answer))
			if tc.refused {
				a.On(route, aiventest.Refused(400, "no such locale"))
			}
			c := Database.New(controllers.Env{Client: a.Client()})
			o, err := c.Observe(t.Context(), tc.obj)
			require.NoError(t, err)
			if !o.Remote.Exists {
				o, err = c.Create(t.Context(), tc.obj)
			}
			assert.Equal(t, tc.calls, a.Calls())
			if tc.refused {
				assert.Equal(t, fault.Rejected, fault.Of(err).Class)
				assert.ErrorContains(t, err, "creating database")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, !tc.pending, o.Remote.Active)
			assert.Empty(t, o.Diff)
		})
	}
}

func TestDatabaseDelete(t *testing.T) {
	const remove = "DELETE service/my-pg/db/orders"
	for name, tc := range map[string]struct {
		answer aiventest.Answer
		class  fault.Class
	}{
		"deleted": {aiventest.OK(nil), fault.None},
		"gone":    {aiventest.Missing(), fault.None},
		"in use":  {aiventest.Refused(409, "a pool uses it"), fault.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(remove, tc.answer)
			err := Database.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), database())
			assert.Equal(t, tc.class, fault.Of(err).Class)
			assert.Equal(t, remove, a.Calls()[0], "a 404 is confirmed by a list of the services")
		})
	}
}

func TestTheDatabaseThatAivenMadeStays(t *testing.T) {
	a := aiventest.New(t)
	require.NoError(t, Database.New(controllers.Env{Client: a.Client()}).Delete(t.Context(), database(func(s *v1alpha1.DatabaseSpec) {
		s.DatabaseName = "defaultdb"
	})))
	assert.Empty(t, a.Calls())
}

func TestDatabaseProtection(t *testing.T) {
	assert.False(t, Database.Protected(database()))
	assert.True(t, Database.Protected(database(func(s *v1alpha1.DatabaseSpec) { s.TerminationProtection = ptr.To(true) })))
}
