package conformance_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/aero-operator/aero/api/v1alpha1"
	kafkaconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/kafka"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/kafka"
	"github.com/aero-operator/aero/tests/localaiven/kafkaclient"
)

// messageTime is how long a message may take.
const messageTime = 30 * time.Second

// withBrokers is a world in which Kafka services have a broker.
func withBrokers(t *testing.T) *testenv.Env {
	t.Helper()
	return testenv.New(t, testenv.Options{
		Kinds: []string{"Kafka", "KafkaTopic", "KafkaACL", "KafkaNativeACL", "ServiceUser"},
		Aiven: localaiven.Options{Engines: []engine.Engine{kafka.New()}},
	})
}

// kafkaWith is a service whose users log in with passwords, or else with certificates.
func kafkaWith(e *testenv.Env, passwords bool) *v1alpha1.Kafka {
	service := e.Example("kafka").(*v1alpha1.Kafka)
	service.Spec.UserConfig = &kafkaconfig.KafkaUserConfig{
		KafkaAuthenticationMethods: &kafkaconfig.KafkaAuthenticationMethods{Certificate: new(!passwords), Sasl: new(passwords)},
	}
	return service
}

// keysOf are what an application gets of an object.
func keysOf(t *testing.T, e *testenv.Env, secret, prefix string) kafkaclient.Secret {
	t.Helper()
	found := e.Secret(secret)
	require.NotNil(t, found, secret)
	return kafkaclient.Secret{Data: found.Data, Prefix: prefix}
}

func open(t *testing.T, connect func() (*kafkaclient.Client, error)) *kafkaclient.Client {
	t.Helper()
	client, err := connect()
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), messageTime)
	t.Cleanup(cancel)
	return ctx
}

func TestAnApplicationOfKafkaWithACertificateProducesAndConsumes(t *testing.T) {
	t.Parallel()
	e := withBrokers(t)
	service, topic := kafkaWith(e, false), e.Example("kafkatopic")
	e.Create(service)
	e.Create(topic)
	e.Wait(service, testenv.Ready())
	e.Wait(topic, testenv.Ready())
	client := open(t, keysOf(t, e, service.Spec.ConnInfoSecretTarget.Name, "KAFKA_").WithCertificate)
	require.NoError(t, client.Produce(within(t), topicName, "an order"))
	message, err := client.Consume(within(t), topicName)
	require.NoError(t, err)
	assert.Equal(t, "an order", message)
}

func TestAnApplicationOfKafkaWithAPasswordDoesWhatItsRuleAllows(t *testing.T) {
	t.Parallel()
	e := withBrokers(t)
	service, topic, rule, user := kafkaWith(e, true), e.Example("kafkatopic"), e.Example("kafkaacl"), e.Example("serviceuser").(*v1alpha1.ServiceUser)
	user.Spec.ServiceName = kafkaName
	other := stranger(user)
	for _, obj := range []testenv.Object{service, topic, rule, user, other} {
		e.Create(obj)
	}
	for _, obj := range []testenv.Object{service, topic, rule, user, other} {
		e.Wait(obj, testenv.Ready())
	}
	client := open(t, keysOf(t, e, user.Spec.ConnInfoSecretTarget.Name, "ORDERS_").WithPassword)
	require.NoError(t, client.Produce(within(t), topicName, "an order"))
	message, err := client.Consume(within(t), topicName)
	require.NoError(t, err)
	assert.Equal(t, "an order", message)

	refused := open(t, keysOf(t, e, "stranger", "ORDERS_").WithPassword)
	require.NoError(t, refused.Login(within(t)))
	require.ErrorIs(t, refused.Produce(within(t), topicName, "x"), kerr.TopicAuthorizationFailed, "no rule is about this user")
}

func TestClientsOfKafkaFollowAChangedLoginMethodWhileItRuns(t *testing.T) {
	t.Parallel()
	e := withBrokers(t)
	service, topic, rule, user := kafkaWith(e, false), e.Example("kafkatopic"), e.Example("kafkaacl"), e.Example("serviceuser").(*v1alpha1.ServiceUser)
	user.Spec.ServiceName = kafkaName
	for _, obj := range []testenv.Object{service, topic, rule, user} {
		e.Create(obj)
	}
	for _, obj := range []testenv.Object{service, topic, rule, user} {
		e.Wait(obj, testenv.Ready())
	}
	accepts := func(certificate, sasl bool) kafkaclient.Secret {
		t.Helper()
		e.Change(service, func() {
			methods := service.Spec.UserConfig.KafkaAuthenticationMethods
			methods.Certificate, methods.Sasl = &certificate, &sasl
		})
		e.Wait(service, testenv.Ready())
		var keys kafkaclient.Secret
		e.Until(func() bool {
			keys = keysOf(t, e, user.Spec.ConnInfoSecretTarget.Name, "ORDERS_")
			return (len(keys.Data["ORDERS_SASL_PORT"]) > 0) == sasl
		}, func() string { return "the Secret has not followed" })
		return keys
	}
	certified := keysOf(t, e, user.Spec.ConnInfoSecretTarget.Name, "ORDERS_")
	assert.Empty(t, certified.Data["ORDERS_SASL_PORT"])
	client := open(t, certified.WithCertificate)
	require.NoError(t, client.Produce(within(t), topicName, "before"))

	sasl := accepts(false, true)
	require.Error(t, client.Login(within(t)), "who is connected is hung up on")
	require.Error(t, open(t, certified.WithCertificate).Login(within(t)), "certificates are switched off")
	login := open(t, sasl.WithPassword)
	message, err := login.Consume(within(t), topicName)
	require.NoError(t, err)
	assert.Equal(t, "before", message)

	both := accepts(true, true)
	require.NoError(t, open(t, both.WithCertificate).Login(within(t)))
	require.NoError(t, login.Login(within(t)), "the other method is as before")
	certified = accepts(true, false)
	require.Error(t, login.Login(within(t)), "passwords are switched off")
	require.NoError(t, open(t, certified.WithCertificate).Produce(within(t), topicName, "after"))

	e.Delete(user)
	e.WaitGone(user)
	require.Error(t, open(t, certified.WithCertificate).Login(within(t)), "the user of the certificate is gone")
}
