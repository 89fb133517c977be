package conformance_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	valkeyuserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/valkey"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

// serviceObject is an object of a kind that is a service.
type serviceObject interface {
	testenv.Object
	GetBaseServiceFields() *v1alpha1.BaseServiceFields
}

// forEachService runs a test for each kind that is a service of a type with backups. Aiven makes none of KafkaConnect, and none of the
// messages in Kafka.
func forEachService(t *testing.T, test func(e *testenv.Env, obj serviceObject)) {
	t.Helper()
	for _, k := range allKinds {
		if k.resource != "service" || k.name == "KafkaConnect" || k.name == "Kafka" {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			e := testenv.New(t, testenv.Options{Kinds: k.needs()})
			test(e, e.Example(k.example).(serviceObject))
		})
	}
}

func isInvalid(parts ...string) []testenv.Want {
	wants := []testenv.Want{
		testenv.Condition("Ready", metav1.ConditionFalse, "InvalidSpec"), testenv.Condition("Stalled", metav1.ConditionTrue, "InvalidSpec"),
	}
	for _, part := range parts {
		wants = append(wants, testenv.Saying("Ready", part))
	}
	return wants
}

func TestX22_AServiceThatIsOffFromTheFirstSpecOnIsCreatedBackedUpAndPoweredOff(t *testing.T) {
	t.Parallel()
	forEachService(t, func(e *testenv.Env, obj serviceObject) {
		e.Aiven.Fail("ServiceBackupsGet", localaiven.Effect{Status: http.StatusOK, Body: json.RawMessage(`{"backups": []}`)}, 0)
		obj.GetBaseServiceFields().Powered = new(bool)
		e.Create(obj)
		e.Wait(obj, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"), testenv.Saying("Ready", "first backup"))
		e.Rest(2)
		assert.Equal(e.T, []string{"ServiceCreate"}, e.Aiven.Writes(0), "it stays on until it can be brought back")
		e.Aiven.RemoveFaults()
		e.Wait(obj, testenv.Condition("Ready", metav1.ConditionTrue, "PoweredOffAsRequested"), testenv.Phase(v1alpha1.PhaseNotAvailable))
		e.Rest(2)
		assert.Equal(e.T, []string{"ServiceCreate", "ServiceUpdate"}, e.Aiven.Writes(0))
		on := true
		e.Change(obj, func() { obj.GetBaseServiceFields().Powered = &on })
		e.Wait(obj, testenv.Ready(), testenv.Phase(v1alpha1.PhaseRunning))
	})
}

// Aiven never lists a backup of a service of this type.
func TestAKafkaConnectThatIsOffFromTheFirstSpecOnIsPoweredOffWithoutABackup(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"KafkaConnect"}})
	obj := e.Example("kafkaconnect").(*v1alpha1.KafkaConnect)
	obj.Spec.Powered = new(bool)
	e.Create(obj)
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionTrue, "PoweredOffAsRequested"), testenv.Phase(v1alpha1.PhaseNotAvailable))
	assert.Equal(t, []string{"ServiceCreate", "ServiceUpdate"}, e.Aiven.Writes(0))
	backups, err := e.Aiven.Console.ServiceBackupsGet(t.Context(), e.Project, connectName)
	require.NoError(t, err)
	assert.Empty(t, backups.Backups)
	e.Rest(2)
	assert.Equal(t, []string{"ServiceCreate", "ServiceUpdate"}, e.Aiven.Writes(0))
	e.Change(obj, func() { obj.Spec.Powered = new(true) })
	e.Wait(obj, testenv.Ready(), testenv.Phase(v1alpha1.PhaseRunning))
}

// A service is created running: its first spec isn't applied before Aiven was asked to power it off, which a policy leaves.
func TestAServiceThatIsCreatedRunningHasNotAppliedASpecThatIsOff(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"KafkaConnect"}})
	obj := e.Example("kafkaconnect").(*v1alpha1.KafkaConnect)
	obj.Annotations = map[string]string{driftPolicy: "Report"}
	obj.Spec.Powered = new(bool)
	e.Create(obj)
	e.Wait(obj, testenv.Condition("Drifted", metav1.ConditionTrue, "ReportOnly"), testenv.Saying("Drifted", "spec.powered"))
	e.Rest(2)
	assert.NotContains(t, obj.GetAnnotations(), processed)
	assert.Equal(t, []string{"ServiceCreate"}, e.Aiven.Writes(0))
	e.Change(obj, func() { delete(obj.Annotations, driftPolicy) })
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionTrue, "PoweredOffAsRequested"), testenv.Phase(v1alpha1.PhaseNotAvailable))
	assert.Contains(t, obj.GetAnnotations(), processed)
}

func TestAProtectedServiceIsNotToBePoweredOff(t *testing.T) {
	t.Parallel()
	forEachService(t, func(e *testenv.Env, obj serviceObject) {
		on, off, spec := true, false, obj.GetBaseServiceFields()
		spec.Powered, spec.TerminationProtection = &off, &on
		e.Create(obj)
		e.Wait(obj, isInvalid("spec.powered", "terminationProtection to false, or powered to true")...)
		e.Rest(2)
		assert.Empty(e.T, e.Aiven.Writes(0), "nothing is created that could not be powered off")
		e.Change(obj, func() { obj.GetBaseServiceFields().Powered = &on })
		e.Wait(obj, testenv.Ready())
		mark := e.Aiven.Mark()
		e.Change(obj, func() { obj.GetBaseServiceFields().Powered = &off })
		e.Wait(obj, isInvalid("spec.powered")...)
		assert.Empty(e.T, e.Aiven.Writes(mark))
		e.Change(obj, func() { obj.GetBaseServiceFields().TerminationProtection = &off })
		e.Wait(obj, testenv.Condition("Ready", metav1.ConditionTrue, "PoweredOffAsRequested"))
	})
}

func TestKafkaIsPoweredOffOnceItsLossIsConfirmed(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"Kafka"}})
	obj := e.Example("kafka").(*v1alpha1.Kafka)
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	mark := e.Aiven.Mark()
	e.Change(obj, func() { obj.Spec.Powered, obj.Spec.Tags = new(false), map[string]string{"team": "orders"} })
	held := []testenv.Want{
		testenv.Condition("Ready", metav1.ConditionFalse, "ConfirmationRequired"), testenv.Condition("Stalled", metav1.ConditionTrue, "ConfirmationRequired"),
		testenv.Saying("Ready", "spec.powered is false"), testenv.Saying("Ready", confirmDataLoss+"=2"),
	}
	e.Wait(obj, held...)
	e.Annotate(obj, confirmDataLoss, "1")
	e.Rest(2)
	e.Wait(obj, held...)
	assert.Equal(t, "true", obj.GetAnnotations()[running], "it is in use")
	assert.Equal(t, []string{"ProjectServiceTagsReplace"}, e.Aiven.Writes(mark), "the rest of the spec is applied")
	e.Annotate(obj, confirmDataLoss, "2")
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionTrue, "PoweredOffAsRequested"), testenv.Phase(v1alpha1.PhaseNotAvailable))
	mark = e.Aiven.Mark()
	_, err := e.Aiven.Console.ServiceUpdate(t.Context(), e.Project, obj.Name, &service.ServiceUpdateIn{Powered: new(true)})
	require.NoError(t, err)
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionFalse, "ConfirmationRequired"), testenv.Saying("Ready", "to its generation"))
	e.Rest(3)
	assert.Empty(t, e.Aiven.Writes(mark), "what is there now isn't what was confirmed to be lost")
	e.Annotate(obj, processed, "")
	e.Until(func() bool { return len(e.Aiven.Writes(mark)) == 1 }, func() string { return "a fresh apply that is asked for isn't made" })
	e.Rest(3)
	assert.Len(t, e.Aiven.Writes(mark), 1, "it is made once")
	e.Wait(obj, held[:2]...)
	e.Change(obj, func() { obj.Spec.Powered = new(true) })
	e.Wait(obj, testenv.Ready())
}

func TestKafkaIsPoweredOffAsByAivenOperatorWhereThatIsAskedFor(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"Kafka"}, Config: func(c *config.Config) { c.ConfirmDataLoss = false }})
	obj := e.Example("kafka").(*v1alpha1.Kafka)
	obj.Spec.Powered = new(false)
	e.Create(obj)
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionTrue, "PoweredOffAsRequested"))
}

func TestAValkeyWithoutBackupsIsNotPoweredOffUntilItHasOne(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"Valkey"}})
	e.Aiven.Fail("ServiceBackupsGet", localaiven.Effect{Status: http.StatusOK, Body: json.RawMessage(`{"backups": []}`)}, 0)
	off, rdb, no := "off", "rdb", false
	obj := e.Example("valkey").(*v1alpha1.Valkey)
	obj.Spec.UserConfig = &valkeyuserconfig.ValkeyUserConfig{ValkeyPersistence: &off}
	obj.Spec.Powered = &no
	e.Create(obj)
	refused := isInvalid("spec.powered", "valkey_persistence is off", "set powered to true")
	e.Wait(obj, refused...)
	e.Rest(2)
	assert.Empty(t, e.Aiven.Writes(0), "nothing is created that could not be powered off")
	e.Change(obj, func() { obj.Spec.Powered = nil })
	e.Wait(obj, testenv.Ready())
	e.Change(obj, func() { obj.Spec.Powered = &no })
	e.Wait(obj, refused...)
	assert.Equal(t, []string{"ServiceCreate"}, e.Aiven.Writes(0))

	e.Change(obj, func() { obj.Spec.UserConfig.ValkeyPersistence = &rdb })
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionUnknown, "Progressing"), testenv.Saying("Ready", "set spec.powered to true"))
	assert.Equal(t, []string{"ServiceCreate", "ServiceUpdate"}, e.Aiven.Writes(0), "backups are on, and so is the service")
	e.Aiven.RemoveFaults()
	e.Wait(obj, testenv.Condition("Ready", metav1.ConditionTrue, "PoweredOffAsRequested"))
}

// autoscale makes an integration that resizes the disk of the service, as the console does.
func autoscale(e *testenv.Env, name string) {
	endpoint, err := e.Aiven.Console.ServiceIntegrationEndpointCreate(e.T.Context(), e.Project, &service.ServiceIntegrationEndpointCreateIn{
		EndpointName: "scale", EndpointType: "autoscaler",
		UserConfig: map[string]any{"autoscaling": []any{map[string]any{"type": "autoscale_disk", "cap_gb": 500}}},
	})
	require.NoError(e.T, err)
	_, err = e.Aiven.Console.ServiceIntegrationCreate(e.T.Context(), e.Project, &service.ServiceIntegrationCreateIn{
		IntegrationType: "autoscaler", SourceService: &name, DestEndpointId: &endpoint.EndpointId,
	})
	require.NoError(e.T, err)
}

func TestAnAutoscalerThatComesUnderAReadyServiceWithADiskSizeChangesNothing(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"OpenSearch"}})
	obj := e.Example("opensearch").(*v1alpha1.OpenSearch)
	e.Create(obj)
	e.Wait(obj, testenv.Ready())
	autoscale(e, obj.Name)
	const larger = 200 * 1024
	require.NoError(t, e.Aiven.Patch(e.Project, obj.Name, map[string]any{"disk_space_mb": larger}))
	mark := e.Aiven.Mark()
	e.Rest(4)
	e.Wait(obj, testenv.Ready(), testenv.Saying("Ready", "In sync"))
	assert.Empty(t, e.Aiven.Writes(mark), "the disk is the autoscaler's")

	changeWindow(e, obj.Name)
	e.Until(func() bool { return serviceAt(e, obj.Name).Maintenance.Time == obj.Spec.MaintenanceWindowTime },
		func() string { return "the window isn't repaired" })
	e.Wait(obj, testenv.Ready())
	assert.Equal(t, larger, *serviceAt(e, obj.Name).DiskSpaceMb, "another repair doesn't name the disk")

	e.Change(obj, func() { obj.Spec.DiskSpace = "150GiB" })
	e.Wait(obj, isInvalid("spec.disk_space", "autoscaler")...)
	e.Change(obj, func() { obj.Spec.DiskSpace = "" })
	e.Wait(obj, testenv.Ready())
	assert.Equal(t, larger, *serviceAt(e, obj.Name).DiskSpaceMb)
}

func TestServicesOfTwoKindsCannotHaveOneName(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"MySQL", "Valkey"}})
	first, second := e.Example("mysql"), e.Example("valkey")
	first.SetName("orders")
	second.SetName("orders")
	e.Create(first)
	e.Wait(first, testenv.Ready())
	mark := e.Aiven.Mark()
	e.Create(second)
	e.Wait(second, testenv.Condition("Ready", metav1.ConditionFalse, "Conflict"), testenv.Saying("Ready", "MySQL "+e.Namespace+"/orders"),
		testenv.Saying("Ready", "Recreate the object under another name"))
	e.Delete(second)
	e.WaitGone(second)
	e.Rest(1)
	assert.Empty(t, e.Aiven.Writes(mark))
	e.Wait(first, testenv.Ready())
}

func TestAnObjectOfAnotherKindDoesNotKeepAService(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"MySQL", "Valkey"}})
	first, second := e.Example("mysql"), e.Example("valkey")
	first.SetName("orders")
	second.SetName("orders")
	e.Create(first)
	e.Wait(first, testenv.Ready())
	e.Create(second)
	e.Wait(second, testenv.Condition("Ready", metav1.ConditionFalse, "Conflict"))
	e.Delete(first)
	e.WaitGone(first)
	e.Wait(second, testenv.Ready())
	assert.Equal(t, "valkey", serviceAt(e, "orders").ServiceType, "the name is free")
}

func TestAnOptionOfCreationThatIsAddedLaterIsNamedAndSentNever(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"MySQL"}})
	obj := e.Example("mysql").(*v1alpha1.MySQL)
	password := "added-much-too-late"
	e.Create(obj)
	e.Wait(obj, testenv.Ready(), testenv.Saying("Ready", "In sync"))
	mark := e.Aiven.Mark()
	e.Change(obj, func() {
		obj.Spec.UserConfig.AdminPassword = &password
		obj.Spec.MaintenanceWindowTime = "04:30:00"
	})
	e.Wait(obj, testenv.Ready(), testenv.Saying("Ready", "Not applied: spec.userConfig.admin_password. "),
		testenv.Saying("RemoteReady", "remove them from the spec"))
	status, err := json.Marshal(obj.Status)
	require.NoError(t, err)
	assert.NotContains(t, string(status), password)
	e.Rest(3)
	assert.Equal(t, []string{"ServiceUpdate"}, e.Aiven.Writes(mark), "the rest of the spec is applied, and once")
	assert.Equal(t, "04:30:00", serviceAt(e, obj.Name).Maintenance.Time)
	e.Change(obj, func() { obj.Spec.UserConfig.AdminPassword = nil })
	e.Wait(obj, testenv.Ready(), testenv.Saying("Ready", "In sync"))
}

// E04: one request, one message, no storm.
func TestBadInputOfServices(t *testing.T) {
	t.Parallel()
	for says, tc := range map[string]struct {
		kind  string
		spoil func(serviceObject)
		shows string
	}{
		"a disk where the plan fixes it": {
			"Valkey", func(o serviceObject) { o.(*v1alpha1.Valkey).Spec.DiskSpace = "200GiB" }, "Aiven rejected spec.disk_space",
		},
		"a plan of another type": {
			"Clickhouse", func(o serviceObject) { o.GetBaseServiceFields().Plan = "hobbyist" }, "Aiven rejected spec.plan: Invalid plan 'hobbyist'",
		},
		"an option that Aiven doesn't take": {
			"Valkey", func(o serviceObject) { o.(*v1alpha1.Valkey).Spec.UserConfig.ValkeyVersion = new("1.0") }, "spec.userConfig.valkey_version",
		},
		"a replica of a type that has none": {
			"OpenSearch", func(o serviceObject) {
				o.GetBaseServiceFields().ServiceIntegrations = []*v1alpha1.ServiceIntegrationItem{
					{IntegrationType: "read_replica", SourceServiceName: serviceName},
				}
			}, "read_replica",
		},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			e := testenv.New(t, testenv.Options{Kinds: []string{tc.kind}, Config: testenv.OnlyWatches})
			e.Aiven.Service(e.Project, serviceName)
			obj := e.Example(exampleOf(tc.kind)).(serviceObject)
			tc.spoil(obj)
			e.Create(obj)
			e.Wait(obj, isInvalid(tc.shows)...)
			assert.Equal(t, []string{"ServiceCreate"}, e.Aiven.Writes(0))
		})
	}
}

func TestAMigrationOfMySQLHasItsKeys(t *testing.T) {
	t.Parallel()
	e := testenv.New(t, testenv.Options{Kinds: []string{"MySQL"}})
	e.SetSecret(migrationSecret, map[string]string{
		"host": "old-database.example.com", "port": "3306", "dump_tool": "a-tool-of-ours", "reestablish_replication": "true",
	})
	obj := e.Example("mysql").(*v1alpha1.MySQL)
	obj.Spec.MigrationSecretSource = &v1alpha1.MigrationSecretSource{Name: migrationSecret}
	e.Create(obj)
	e.Wait(obj, isInvalid("spec.migrationSecretSource", "Change the Secret")...)
	assert.NotContains(t, testenv.Find(obj, "Ready").Message, "a-tool-of-ours")
	e.SetSecret(migrationSecret, map[string]string{
		"host": "old-database.example.com", "port": "3306", "dump_tool": "mydumper", "reestablish_replication": "true",
	})
	e.Wait(obj, testenv.Ready(), testenv.Condition("MigrationComplete", metav1.ConditionTrue, "MigrationDone"))
	sent, _ := serviceAt(e, obj.Name).UserConfig["migration"].(map[string]any)
	assert.Equal(t, "mydumper", sent["dump_tool"])
	assert.Equal(t, true, sent["reestablish_replication"])
}
