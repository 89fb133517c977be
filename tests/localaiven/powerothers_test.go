package localaiven_test

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/kafkatopic"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven/engine"
	"github.com/aero-operator/aero/tests/localaiven/engine/kafka"
	"github.com/aero-operator/aero/tests/localaiven/engine/mysql"
	"github.com/aero-operator/aero/tests/localaiven/engine/valkey"
	"github.com/aero-operator/aero/tests/localaiven/kafkaclient"
)

func TestOtherEnginesWithoutPower(t *testing.T) {
	for name, c := range map[string]struct {
		kind   string
		engine engine.Engine
		// use writes the first time, and reads what was written.
		use func(t *testing.T, h *harness, at *service.ServiceGetOut, first bool)
	}{
		"MySQL":  {"mysql", mysql.New(), useMySQL},
		"Valkey": {"valkey", valkey.New(), useValkey},
		"Kafka":  {"kafka", kafka.New(), useKafka},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.engine.Available(); err != nil {
				t.Skip("this machine can't run it: ", err)
			}
			config := map[string]any{}
			if c.kind == "kafka" {
				config["kafka_authentication_methods"] = map[string]any{"sasl": true}
				config["schema_registry"] = true
			}
			h := with(t, c.kind, svcName, config, c.engine)
			h.runs(t, svcName)
			_, err := h.client.ServiceUserCreate(t.Context(), proj, svcName, &service.ServiceUserCreateIn{Username: "bob"})
			require.NoError(t, err)
			c.use(t, h, h.get(t), true)
			for range 2 {
				before := h.get(t)
				h.power(t, svcName, false)
				for _, part := range before.Components {
					assertNoListener(t, fmt.Sprintf("tcp://%s:%d", part.Host, part.Port))
				}
				h.power(t, svcName, true)
				after := h.get(t)
				assert.Equal(t, before.Users, after.Users)
				for _, part := range after.Components {
					conn, err := net.Dial("tcp", net.JoinHostPort(part.Host, strconv.Itoa(part.Port)))
					require.NoError(t, err, part.Component)
					require.NoError(t, conn.Close())
				}
				c.use(t, h, after, false)
			}
			h.power(t, svcName, false)
			require.NoError(t, h.client.ServiceDelete(t.Context(), proj, svcName))
		})
	}
}

func useMySQL(t *testing.T, h *harness, at *service.ServiceGetOut, first bool) {
	t.Helper()
	conn, err := h.shop(t, at, "bob", at.Users[1].Password, "defaultdb")
	require.NoError(t, err)
	if first {
		_, err = conn.ExecContext(t.Context(), "CREATE TABLE notes AS SELECT 'kept' AS note")
		require.NoError(t, err)
	}
	var note string
	require.NoError(t, conn.QueryRowContext(t.Context(), "SELECT note FROM notes").Scan(&note))
	assert.Equal(t, "kept", note)
}

func useValkey(t *testing.T, h *harness, at *service.ServiceGetOut, first bool) {
	t.Helper()
	client := h.cache(t, at, "bob", at.Users[1].Password)
	if first {
		require.NoError(t, client.Set(t.Context(), "note", "kept", 0).Err())
	}
	assert.Equal(t, "kept", client.Get(t.Context(), "note").Val())
}

// useKafka writes with a password, and reads with a certificate.
func useKafka(t *testing.T, h *harness, at *service.ServiceGetOut, first bool) {
	t.Helper()
	ca, err := h.client.ProjectKmsGetCA(t.Context(), proj)
	require.NoError(t, err)
	admin := at.Users[0]
	keys := kafkaclient.Secret{Data: map[string][]byte{
		"USERNAME": []byte(admin.Username), "PASSWORD": []byte(admin.Password), "CA_CERT": []byte(ca),
		"ACCESS_CERT": []byte(*admin.AccessCert), "ACCESS_KEY": []byte(*admin.AccessKey),
	}}
	for _, part := range at.Components {
		prefix := map[service.KafkaAuthenticationMethodType]string{"certificate": "", "sasl": "SASL_"}[part.KafkaAuthenticationMethod]
		if part.Component == "kafka" {
			keys.Data[prefix+"HOST"], keys.Data[prefix+"PORT"] = []byte(part.Host), []byte(strconv.Itoa(part.Port))
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if first {
		require.NoError(t, h.client.ServiceKafkaTopicCreate(ctx, proj, svcName, &kafkatopic.ServiceKafkaTopicCreateIn{TopicName: "orders", Partitions: ptr(2)}))
		writer, err := keys.WithPassword()
		require.NoError(t, err)
		defer writer.Close()
		require.NoError(t, writer.Produce(ctx, "orders", "kept"))
	}
	reader, err := keys.WithCertificate()
	require.NoError(t, err)
	defer reader.Close()
	message, err := reader.Consume(ctx, "orders")
	require.NoError(t, err)
	assert.Equal(t, "kept", message)
}
