package grafana

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	grafanauserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/grafana"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

const lookup = "GET service/my-grafana"

type fields = aiventest.Object

func grafana() *v1alpha1.Grafana {
	obj := &v1alpha1.Grafana{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "my-grafana"}}
	obj.Spec.Project, obj.Spec.Plan, obj.Spec.CloudName = aiventest.Project, "startup-4", "google-europe-west1"
	return obj
}

// running is the answer to a read of the service, with some fields changed.
func running(changes fields) aiventest.Answer {
	all := fields{
		"service_name": "my-grafana", "service_type": "grafana", "user_config": fields{},
		"service_uri":        "https://g.test:443",
		"service_uri_params": fields{"host": "g.test", "port": "443", "user": "avnadmin", "password": "pass-word"},
		"connection_info":    fields{"grafana": []any{"https://g.test:443", "https://g-2.test:443"}},
	}
	for key, value := range changes {
		all[key] = value
	}
	return aiventest.Service(all)
}

func observe(t *testing.T, a *aiventest.Aiven, obj *v1alpha1.Grafana) (controllers.Observation, error) {
	return Service.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
}

func TestServiceDetails(t *testing.T) {
	login := map[string]string{"HOST": "g.test", "PORT": "443", "USER": "avnadmin", "PASSWORD": "pass-word", "URI": "https://g.test:443"}
	with := func(hosts string) map[string]string {
		all := map[string]string{"HOSTS": hosts}
		for key, value := range login {
			all[key] = value
		}
		return all
	}
	for name, tc := range map[string]struct {
		changes fields
		want    map[string]string
	}{
		"of all nodes":                   {nil, with("https://g.test:443,https://g-2.test:443")},
		"after a reset":                  {fields{"connection_info": fields{"grafana": []any{"x"}}}, with("x")},
		"without connection_info":        {fields{"connection_info": nil}, login},
		"with nothing in it":             {fields{"connection_info": fields{}}, login},
		"without hosts":                  {fields{"connection_info": fields{"grafana": nil}}, login},
		"without an address":             {fields{"service_uri_params": fields{"host": ""}}, nil},
		"of a service that isn't up yet": {fields{"state": "REBUILDING"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(tc.changes))
			o, err := observe(t, a, grafana())
			require.NoError(t, err)
			assert.Equal(t, tc.want, o.Details.Prefixed())
			assert.Empty(t, o.Details.Legacy())
			assert.Equal(t, []string{lookup}, a.Calls(), "the CA isn't read")
		})
	}
}

func TestSecretOptionsAreSentOnceAGeneration(t *testing.T) {
	a, obj := aiventest.New(t), grafana()
	obj.Spec.UserConfig = &grafanauserconfig.GrafanaUserConfig{
		AuthGithub: &grafanauserconfig.AuthGithub{ClientId: "id", ClientSecret: "s3cr3t"},
		SmtpServer: &grafanauserconfig.SmtpServer{Host: "smtp.test", Port: 25, FromAddress: "a@b.test", Password: ptr.To("s3cr3t")},
	}
	a.On(lookup, running(fields{"user_config": fields{
		"auth_github": fields{"client_id": "id", "client_secret": "<redacted>"},
		"smtp_server": fields{"host": "smtp.test", "port": 25, "from_address": "a@b.test"},
	}}))
	o, err := observe(t, a, obj)
	require.NoError(t, err)
	assert.Empty(t, o.Diff)
	assert.Equal(t, []string{"spec.userConfig.auth_github.client_secret", "spec.userConfig.smtp_server.password"}, o.WriteOnly)
}

func TestARejectedDiskIsNamed(t *testing.T) {
	a, obj := aiventest.New(t), grafana()
	obj.Spec.DiskSpace = "100GiB"
	a.On(lookup, aiventest.Missing())
	a.On("POST service", aiventest.Refused(400, "disk_space_mb can't be set for this plan"))
	c := Service.New(controllers.Env{Client: a.Client()})
	_, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	_, err = c.Create(t.Context(), obj)
	assert.Equal(t, fault.Rejected, fault.Of(err).Class)
	assert.ErrorContains(t, err, "spec.disk_space")
}
