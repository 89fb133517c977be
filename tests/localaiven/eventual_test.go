package localaiven_test

import (
	"testing"
	"time"

	aiven "github.com/aiven/go-client-codegen"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

const lag = 200 * time.Millisecond

// TestReadsLagBehindWrites makes a change, and reads just before and just after the lag is over.
func TestReadsLagBehindWrites(t *testing.T) {
	planOf := func(t *testing.T, h *harness) any { t.Helper(); return h.get(t).Plan }
	known := func(t *testing.T, h *harness) any {
		t.Helper()
		_, err := h.client.ServiceGet(t.Context(), proj, svcName)
		_, listed := listedServices(t, h)[svcName]
		require.Equal(t, err == nil, listed)
		return err == nil
	}
	bob := func(t *testing.T, h *harness) any {
		t.Helper()
		_, err := h.client.ServiceUserGet(t.Context(), proj, svcName, "bob")
		require.True(t, err == nil || aiven.IsNotFound(err), err)
		return err == nil && len(h.get(t).Users) == 2
	}
	for name, c := range map[string]struct {
		change        func(*testing.T, *harness)
		seen          func(*testing.T, *harness) any
		before, after any
	}{
		"a new plan": {
			func(t *testing.T, h *harness) {
				t.Helper()
				h.update(t, service.ServiceUpdateIn{Plan: ptr("business-8")})
			},
			planOf, "startup-4", "business-8",
		},
		"a new user": {func(t *testing.T, h *harness) { t.Helper(); require.NoError(t, createUser(t, h)) }, bob, false, true},
		"a change at the console": {
			func(t *testing.T, h *harness) {
				t.Helper()
				require.NoError(t, h.Patch(proj, svcName, map[string]any{"users": []any{map[string]any{"username": "bob"}}}))
			},
			bob, false, true,
		},
		"a deleted service": {deleteService, known, true, false},
		"a service that is created again": {
			func(t *testing.T, h *harness) {
				t.Helper()
				deleteService(t, h)
				h.create(t, service.ServiceCreateIn{Plan: "business-4"})
			},
			planOf, "startup-4", "business-4",
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := running(t, localaiven.Options{Eventual: lag})
			c.change(t, h)
			assert.Equal(t, c.before, c.seen(t, h), "at once")
			h.clock.Advance(lag - 1)
			assert.Equal(t, c.before, c.seen(t, h), "just before")
			h.clock.Advance(1)
			assert.Equal(t, c.after, c.seen(t, h), "after the lag")
		})
	}
}

func TestANewServiceIsntReadAtOnce(t *testing.T) {
	h := start(t, localaiven.Options{Eventual: lag})
	h.create(t, service.ServiceCreateIn{})
	_, err := h.client.ServiceGet(t.Context(), proj, svcName)
	require.True(t, aiven.IsNotFound(err), err)
	h.clock.Advance(lag)
	assert.Equal(t, "RUNNING", h.state(t))
}

// Writes don't lag: a second create must not pass, and a change of what can't be read yet must.
func TestWritesDontLag(t *testing.T) {
	h := running(t, localaiven.Options{Eventual: lag})
	require.NoError(t, createUser(t, h))
	assert.True(t, aiven.IsAlreadyExists(createUser(t, h)))
	out, err := h.client.ServiceUserCredentialsModify(t.Context(), proj, svcName, "bob", &service.ServiceUserCredentialsModifyIn{
		Operation: service.ServiceUserCredentialsModifyOperationTypeResetCredentials, NewPassword: ptr("a-new-password"),
	})
	require.NoError(t, err)
	assert.Len(t, out.Users, 2)
	h.clock.Advance(lag)
	read, err := h.client.ServiceUserGet(t.Context(), proj, svcName, "bob")
	require.NoError(t, err)
	assert.Equal(t, "a-new-password", read.Password)
}

func deleteService(t *testing.T, h *harness) {
	t.Helper()
	require.NoError(t, h.client.ServiceDelete(t.Context(), proj, svcName))
}

func listedServices(t *testing.T, h *harness) map[string]service.ServiceOut {
	t.Helper()
	all, err := h.client.ServiceList(t.Context(), proj)
	require.NoError(t, err)
	byName := map[string]service.ServiceOut{}
	for _, s := range all {
		byName[s.ServiceName] = s
	}
	return byName
}

func TestIntegrationsAreReadLate(t *testing.T) {
	h := runningKafka(t, localaiven.Options{Eventual: lag})
	h.create(t, service.ServiceCreateIn{})
	h.clock.Advance(lag)
	_, err := h.client.ServiceIntegrationCreate(t.Context(), proj, &service.ServiceIntegrationCreateIn{
		IntegrationType: "kafka_logs", SourceService: ptr(svcName), DestService: ptr(kafkaName),
		UserConfig: &map[string]any{"kafka_topic": "logs"},
	})
	require.NoError(t, err)
	for _, want := range []int{0, 1} {
		assert.Len(t, h.getKafka(t).ServiceIntegrations, want)
		assert.Len(t, h.get(t).ServiceIntegrations, want)
		h.clock.Advance(lag)
	}
}

func TestSchemasAreReadLate(t *testing.T) {
	h := runningKafka(t, localaiven.Options{Eventual: lag})
	h.configureKafka(t, map[string]any{"schema_registry": true})
	h.clock.Advance(lag)
	h.posted(t, "orders", avro(order))
	h.level(t, "orders", "FULL")
	see := func(subjects []string, versions []int) {
		t.Helper()
		names, err := h.client.ServiceSchemaRegistrySubjects(t.Context(), proj, kafkaName)
		require.NoError(t, err)
		assert.Equal(t, subjects, names)
		assert.Equal(t, versions, h.versions(t, "orders"))
	}
	see([]string{}, nil)
	_, err := h.client.ServiceSchemaRegistrySubjectConfigGet(t.Context(), proj, kafkaName, "orders")
	require.True(t, aiven.IsNotFound(err), err)
	h.clock.Advance(lag)
	see([]string{"orders"}, []int{1})
	h.posted(t, "orders", avro(orderNote))
	see([]string{"orders"}, []int{1})
	h.clock.Advance(lag)
	see([]string{"orders"}, []int{1, 2})
	require.NoError(t, h.dropSubject(t, "orders", false))
	require.NoError(t, h.dropSubject(t, "orders", true), "writes don't lag")
	see([]string{"orders"}, []int{1, 2})
	h.clock.Advance(lag)
	see([]string{}, nil)
}
