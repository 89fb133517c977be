package kafkaconnect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	kafkaconnectuserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/kafka_connect"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

func connectService() *v1alpha1.KafkaConnect {
	obj := &v1alpha1.KafkaConnect{ObjectMeta: metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: "my-kafka"}}
	obj.Spec.Project, obj.Spec.Plan, obj.Spec.CloudName = aiventest.Project, "startup-4", "google-europe-west1"
	return obj
}

func TestAServicePublishesNothing(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, inKafka(fields{"service_type": "kafka_connect", "user_config": fields{}, "connection_info": nil}))
	o, err := Service.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), connectService())
	require.NoError(t, err)
	assert.True(t, o.Remote.Active)
	assert.True(t, o.Details.Empty())
	assert.Equal(t, []string{lookup}, a.Calls(), "no CA, no backups")
}

func TestAServiceIsPoweredOffWithoutABackup(t *testing.T) {
	a, obj := aiventest.New(t), connectService()
	obj.Spec.Powered = ptr.To(false)
	a.On(lookup, inKafka(fields{"service_type": "kafka_connect", "user_config": fields{}}))
	o, err := Service.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, []string{"spec.powered"}, o.Diff.Paths())
	assert.Empty(t, o.WaitFor)
	assert.Equal(t, []string{lookup}, a.Calls(), "backups aren't listed")
}

func TestSecretProvidersAreSentOnceAGeneration(t *testing.T) {
	a, obj := aiventest.New(t), connectService()
	obj.Spec.UserConfig = &kafkaconnectuserconfig.KafkaConnectUserConfig{SecretProviders: []*kafkaconnectuserconfig.SecretProviders{
		{Name: "aws", Aws: &kafkaconnectuserconfig.Aws{AuthMethod: "credentials", Region: "eu-west-1", AccessKey: ptr.To("id"), SecretKey: ptr.To("s3cr3t")}},
	}}
	provider := func(secret any) fields {
		return fields{"name": "aws", "aws": fields{"auth_method": "credentials", "region": "eu-west-1", "access_key": "id", "secret_key": secret}}
	}
	for name, found := range map[string]any{
		"hidden": []any{provider("<redacted>")}, "left out": []any{fields{"name": "aws"}}, "without the list": nil,
	} {
		t.Run(name, func(t *testing.T) {
			a.On(lookup, inKafka(fields{"service_type": "kafka_connect", "user_config": fields{"secret_providers": found}}))
			o, err := Service.New(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.Empty(t, o.Diff)
			assert.Equal(t, []string{"spec.userConfig.secret_providers"}, o.WriteOnly)
		})
	}
}
