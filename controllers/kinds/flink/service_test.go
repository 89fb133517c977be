package flink

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	flinkuserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/flink"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

const lookup = "GET service/my-flink"

type fields = aiventest.Object

func flink() *v1alpha1.Flink {
	obj := &v1alpha1.Flink{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "my-flink"}}
	obj.Spec.Project, obj.Spec.Plan, obj.Spec.CloudName = aiventest.Project, "startup-4", "google-europe-west1"
	return obj
}

// running is the answer to a read of the service, with some fields changed.
func running(changes fields) aiventest.Answer {
	all := fields{
		"service_name": "my-flink", "service_type": "flink", "user_config": fields{"flink_version": "1.20", "custom_code": false},
		"service_uri":        "https://avnadmin:pass-word@f.test:443",
		"service_uri_params": fields{"host": "f.test", "port": "443", "user": "avnadmin", "password": "pass-word"},
		"connection_info":    fields{"flink": []any{"f.test:443", "f-2.test:443"}},
	}
	maps.Copy(all, changes)
	return aiventest.Service(all)
}

func TestServiceDetails(t *testing.T) {
	login := map[string]string{"HOST": "f.test", "USER": "avnadmin", "PASSWORD": "pass-word", "URI": "https://avnadmin:pass-word@f.test:443"}
	all := maps.Clone(login)
	all["HOSTS"] = "f.test:443,f-2.test:443"
	for name, tc := range map[string]struct {
		changes fields
		want    map[string]string
	}{
		"of all nodes, without a port": {nil, all},
		"without connection_info":      {fields{"connection_info": nil}, login},
		"with nothing in it":           {fields{"connection_info": fields{}}, login},
		"without hosts":                {fields{"connection_info": fields{"flink": nil}}, login},
		"without an address":           {fields{"service_uri_params": fields{"host": ""}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(tc.changes))
			o, err := Service.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), flink())
			require.NoError(t, err)
			assert.Equal(t, tc.want, o.Details.Prefixed())
			assert.Empty(t, o.Details.Legacy())
			assert.Equal(t, []string{lookup}, a.Calls(), "the CA isn't read")
		})
	}
}

// Aiven refuses them in an update.
func TestOptionsOfANewServiceAreSentOnce(t *testing.T) {
	const create, update = "POST service", "PUT service/my-flink"
	a, obj := aiventest.New(t), flink()
	obj.Spec.UserConfig = &flinkuserconfig.FlinkUserConfig{
		FlinkVersion: ptr.To("1.20"), CustomCode: ptr.To(false), NumberOfTaskSlots: ptr.To(2),
	}
	a.On(lookup, aiventest.Missing())
	a.On(create, running(nil))
	c := Service.New(controllers.Env{Client: a.Client()})
	_, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	_, err = c.Create(t.Context(), obj)
	require.NoError(t, err)
	assert.Contains(t, a.Calls()[1], `"user_config":{"custom_code":false,"flink_version":"1.20","number_of_task_slots":2}`)

	a.On(lookup, running(fields{"user_config": fields{"custom_code": false, "flink_version": "1.20", "number_of_task_slots": 1}}))
	a.On(update, running(nil))
	c = Service.New(controllers.Env{Client: a.Client()})
	o, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, []string{"spec.userConfig.number_of_task_slots"}, o.Diff.Paths())
	a.Calls()
	_, err = c.Update(t.Context(), obj, o)
	require.NoError(t, err)
	assert.Contains(t, a.Calls()[0], `"user_config":{"number_of_task_slots":2}`)
}
