package valkey

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	valkeyuserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/valkey"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

const lookup = "GET service/my-valkey"

// running is the answer to a read of a Valkey service, with some fields changed.
func running(changes aiventest.Object) aiventest.Answer {
	fields := aiventest.Object{
		"service_name": "my-valkey", "service_type": "valkey", "user_config": aiventest.Object{"valkey_version": "9.0"},
		"service_uri": "rediss://avnadmin:pass-word@valkey.test:1234",
		"service_uri_params": aiventest.Object{
			"host": "valkey.test", "port": "1234", "user": "avnadmin", "password": "pass-word", "ssl": "required",
		},
		"connection_info": nil,
	}
	maps.Copy(fields, changes)
	return aiventest.Service(fields)
}

func valkey(options *valkeyuserconfig.ValkeyUserConfig) *v1alpha1.Valkey {
	obj := &v1alpha1.Valkey{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "my-valkey"}}
	obj.Spec.Project, obj.Spec.Plan, obj.Spec.CloudName = aiventest.Project, "startup-4", "google-europe-west1"
	obj.Spec.UserConfig = options
	return obj
}

func observe(t *testing.T, a *aiventest.Aiven, obj *v1alpha1.Valkey) controllers.Observation {
	o, err := Service.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
	require.NoError(t, err)
	return o
}

func TestServiceDetails(t *testing.T) {
	for name, tc := range map[string]struct {
		changes  aiventest.Object
		prefixed map[string]string
	}{
		"with everything": {prefixed: map[string]string{
			"HOST": "valkey.test", "PORT": "1234", "USER": "avnadmin", "PASSWORD": "pass-word", "SSL": "required",
		}},
		"with what little Aiven returns": {
			changes:  aiventest.Object{"service_uri": nil, "service_uri_params": aiventest.Object{"host": "valkey.test", "ssl": nil}},
			prefixed: map[string]string{"HOST": "valkey.test"},
		},
		"not without an address": {changes: aiventest.Object{"service_uri_params": aiventest.Object{"host": "", "port": "1234"}}},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, running(tc.changes))
			o := observe(t, a, valkey(nil))
			assert.Empty(t, o.Diff)
			assert.Equal(t, tc.prefixed, o.Details.Prefixed())
			assert.Empty(t, o.Details.Legacy())
			assert.Equal(t, []string{lookup}, a.Calls(), "what is in sync is only read")
		})
	}
}

func TestOptionsThatAivenDoesNotReturn(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, running(aiventest.Object{"user_config": aiventest.Object{
		"valkey_timeout": 300, "migration": aiventest.Object{"host": "old.test", "port": 6379},
	}}))
	o := observe(t, a, valkey(&valkeyuserconfig.ValkeyUserConfig{
		ValkeyTimeout: ptr.To(600), Migration: &valkeyuserconfig.Migration{Host: "old.test", Port: 6379, Password: ptr.To("old-password")},
	}))
	assert.Equal(t, []string{"spec.userConfig.valkey_timeout"}, o.Diff.Paths())
	assert.Equal(t, []string{"spec.userConfig.migration.password"}, o.WriteOnly)
}

func TestServiceProtectionAndReferences(t *testing.T) {
	obj := valkey(nil)
	assert.False(t, Service.Protected(obj))
	obj.Spec.TerminationProtection = ptr.To(true)
	assert.True(t, Service.Protected(obj))
	sent := map[string]bool{}
	for _, declaration := range Service.References {
		sent[declaration.Name] = declaration.WriteOnly
	}
	assert.Equal(t, map[string]bool{"ProjectVPC": false}, sent)
}
