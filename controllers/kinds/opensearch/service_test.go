package opensearch

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	opensearchuserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/opensearch"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

const serviceLookup = "GET service/my-opensearch"

// runningService is the answer to a read of an OpenSearch service, with some fields changed.
func runningService(changes aiventest.Object) aiventest.Answer {
	fields := aiventest.Object{
		"service_name": "my-opensearch", "service_type": "opensearch", "user_config": aiventest.Object{"opensearch_version": "3.6"},
		"service_uri":        "https://avnadmin:pass-word@os.test:1234",
		"service_uri_params": aiventest.Object{"host": "os.test", "port": "1234", "user": "avnadmin", "password": "pass-word"},
		"connection_info":    nil,
	}
	maps.Copy(fields, changes)
	return aiventest.Service(fields)
}

func openSearch(options *opensearchuserconfig.OpensearchUserConfig) *v1alpha1.OpenSearch {
	obj := &v1alpha1.OpenSearch{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "my-opensearch"}}
	obj.Spec.Project, obj.Spec.Plan, obj.Spec.CloudName = aiventest.Project, "startup-4", "google-europe-west1"
	obj.Spec.UserConfig = options
	return obj
}

func observeService(t *testing.T, a *aiventest.Aiven, obj *v1alpha1.OpenSearch) controllers.Observation {
	o, err := Service.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
	require.NoError(t, err)
	return o
}

func TestServiceDetails(t *testing.T) {
	for name, tc := range map[string]struct {
		changes          aiventest.Object
		prefixed, legacy map[string]string
	}{
		"with everything": {
			prefixed: map[string]string{
				"URI": "https://avnadmin:pass-word@os.test:1234", "HOST": "os.test", "PORT": "1234", "USER": "avnadmin", "PASSWORD": "pass-word",
			},
			legacy: map[string]string{"HOST": "os.test", "PORT": "1234", "USER": "avnadmin", "PASSWORD": "pass-word"},
		},
		"with what little Aiven returns": {
			changes:  aiventest.Object{"service_uri": nil, "service_uri_params": aiventest.Object{"host": "os.test", "password": nil}},
			prefixed: map[string]string{"HOST": "os.test"}, legacy: map[string]string{"HOST": "os.test"},
		},
		"not without an address": {changes: aiventest.Object{"service_uri_params": aiventest.Object{"host": "", "port": "1234"}}},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(serviceLookup, runningService(tc.changes))
			o := observeService(t, a, openSearch(nil))
			assert.Empty(t, o.Diff)
			assert.Equal(t, tc.prefixed, o.Details.Prefixed())
			assert.Equal(t, tc.legacy, o.Details.Legacy())
			assert.Equal(t, []string{serviceLookup}, a.Calls(), "what is in sync is only read")
		})
	}
}

func TestOptionsThatAivenDoesNotReturn(t *testing.T) {
	const url = "https://idp.test"
	a := aiventest.New(t)
	a.On(serviceLookup, runningService(aiventest.Object{"user_config": aiventest.Object{
		"openid": aiventest.Object{"client_id": "aero", "client_secret": "<redacted>", "connect_url": url, "enabled": true},
		"jwt":    aiventest.Object{"enabled": false},
	}}))
	o := observeService(t, a, openSearch(&opensearchuserconfig.OpensearchUserConfig{
		Openid: &opensearchuserconfig.Openid{ClientId: "aero", ClientSecret: "idp-secret", ConnectUrl: url, Enabled: true},
		Jwt:    &opensearchuserconfig.Jwt{SigningKey: "signing-key", Enabled: true},
		S3Migration: &opensearchuserconfig.S3Migration{
			AccessKey: "access", SecretKey: "secret-key", BasePath: "a", Bucket: "b", Indices: "*", Region: "r", SnapshotName: "s",
		},
	}))
	assert.Equal(t, []string{"spec.userConfig.jwt.enabled"}, o.Diff.Paths())
	for _, path := range []string{"openid.client_secret", "jwt.signing_key", "s3_migration.secret_key"} {
		assert.Contains(t, o.WriteOnly, "spec.userConfig."+path)
	}
}

func TestServiceProtectionAndReferences(t *testing.T) {
	obj := openSearch(nil)
	assert.False(t, Service.Protected(obj))
	obj.Spec.TerminationProtection = ptr.To(true)
	assert.True(t, Service.Protected(obj))
	sent := map[string]bool{}
	for _, declaration := range Service.References {
		sent[declaration.Name] = declaration.WriteOnly
	}
	assert.Equal(t, map[string]bool{"ProjectVPC": false}, sent)
}
