package migrate

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

const (
	running   = "controllers.aiven.io/instance-is-running"
	reconcile = "controllers.aiven.io/reconcile-requested-at"
	finalizer = "finalizers.aiven.io/delete-remote-resource"

	grownService = "my-pg"   // whose plan a person has raised at the console
	idleService  = "idle-pg" // which a person has powered off there
	tagged       = "business-4"
)

// move is one cluster that moves from aiven-operator to aero.
type move struct {
	*testenv.Env
	*shell

	pods    *pods
	objects []testenv.Object
	data    map[string]map[string][]byte // of each connection Secret
	seen    map[types.UID]int            // states of each object before the move
	off     bool                         // the idle service is powered off
}

func TestMovingOverWritesNothingAndLosesNothing(t *testing.T) {
	s := newShell(t)
	installKinds(t, s)
	m := &move{Env: testenv.New(t, testenv.Options{Kinds: testenv.KindNames(), Outside: true}), shell: s, data: map[string]map[string][]byte{}, seen: map[types.UID]int{}}
	m.pods = newPods(t, m.Env)
	m.live()
	m.changeAtTheConsole()
	m.installAivenOperator()
	watch := watchKinds(t, m.Env)
	before := m.Aiven.Mark()

	found := m.section(check)
	for _, problem := range []string{"not running", "being deleted", "deletion-policy", "no token"} {
		assert.NotContains(t, found, problem)
	}
	m.section(guard)
	m.cross()
	m.reconcileAgain()
	assert.Empty(t, m.Aiven.Writes(before))
	m.nothingIsLost()
	m.settleTheDrift()
	mark := m.Aiven.Mark()
	m.section(tidy)

	m.section(goBack)
	m.pods.stop()
	m.nothingIsLost()
	m.cross() // and over again: this time the objects are aero's own
	m.reconcileAgain()
	m.nothingIsLost()
	assert.Empty(t, m.Aiven.Writes(mark))
	watch.nothingWasDeleted()

	m.end()
}

// live makes objects of all kinds as aiven-operator leaves them behind.
func (m *move) live() {
	m.Env.T.Helper()
	step := m.Example("upgradepipelinestep").(*v1alpha1.UpgradePipelineStep).Spec // leads to a service that no example makes
	_, err := m.Aiven.Console.ServiceCreate(m.Env.T.Context(), step.DestinationProjectName,
		&service.ServiceCreateIn{ServiceName: step.DestinationServiceName, ServiceType: "pg", Plan: "startup-4"})
	require.NoError(m.Env.T, err)
	m.Operator.Start()
	for _, kind := range testenv.KindNames() {
		m.objects = append(m.objects, m.Example(strings.ToLower(kind)))
	}
	idle := m.Example("postgresql").(*v1alpha1.PostgreSQL)
	idle.Name, idle.Spec.ConnInfoSecretTarget.Name = idleService, idleService
	m.objects = append(m.objects, idle)
	for _, obj := range m.objects {
		m.Create(obj)
	}
	for _, obj := range m.objects {
		m.Wait(obj, testenv.Ready())
	}
	m.Operator.Stop()
	for _, obj := range m.objects {
		m.Get(obj)
		published := publishes(obj)
		m.Leave(obj, published)
		if published != "" {
			m.data[published] = m.Secret(published).Data
		}
		m.CatchUp()
		m.seen[obj.GetUID()] = len(m.History(obj))
	}
	require.NotEmpty(m.Env.T, m.data)
}

// publishes is the name of the Secret of an object, or empty.
func publishes(obj testenv.Object) string {
	fields, any := obj.(interface{ GetSecretFields() *v1alpha1.SecretFields })
	if !any {
		return ""
	}
	return fields.GetSecretFields().ConnInfoSecretTarget.Name
}

// changeAtTheConsole makes differences that aiven-operator doesn't care about.
func (m *move) changeAtTheConsole() {
	m.Env.T.Helper()
	plan, off := tagged, false
	for name, change := range map[string]*service.ServiceUpdateIn{grownService: {Plan: &plan}, idleService: {Powered: &off}} {
		_, err := m.Aiven.Console.ServiceUpdate(m.Env.T.Context(), m.Project, name, change)
		require.NoError(m.Env.T, err)
	}
	m.off = true
	m.Until(func() bool {
		return m.service(grownService).State == service.ServiceStateTypeRunning &&
			m.service(idleService).State == service.ServiceStateTypePoweroff
	}, func() string { return "the services don't come to rest" })
}

func (m *move) service(name string) *service.ServiceGetOut {
	found, err := m.Aiven.Console.ServiceGet(m.Env.T.Context(), m.Project, name)
	require.NoError(m.Env.T, err)
	return found
}

// installAivenOperator installs it with its webhooks, and others that a user has forgotten. It holds its lease.
func (m *move) installAivenOperator() {
	m.Env.T.Helper()
	m.do("helm install -n $OLD --server-side=false aiven-operator aiven/aiven-operator\n" +
		"kubectl get validatingwebhookconfiguration aiven-operator-validate -o yaml | sed 's/name: aiven-operator-validate/name: forgotten/; " +
		"/resourceVersion:/d; /uid:/d; /app.kubernetes.io.managed-by/d' | kubectl create -f -")
	m.Until(func() bool {
		_, err := m.try("kubectl -n " + m.Namespace + " annotate database orders --overwrite --dry-run=server x=y")
		return err != nil
	}, func() string { return "the webhooks don't stand in the way" })
	holder, seconds, now := "aiven-operator-0", int32(15), metav1.NowMicro()
	m.Create(&coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: old, Name: "40db2fac.aiven.io"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, AcquireTime: &now, RenewTime: &now},
	})
}

// cross goes through the steps that exchange the operators.
func (m *move) cross() {
	m.Env.T.Helper()
	m.section(stop)
	kept := strings.Fields(m.section(forget))
	require.GreaterOrEqual(m.Env.T, len(kept), 2)
	counts := kept[len(kept)-2:]
	assert.Equal(m.Env.T, strconv.Itoa(len(aivenOperatorKinds())), counts[0])
	assert.Equal(m.Env.T, counts[0], counts[1])
	m.section(remove)
	steps := m.page[installAero]
	m.do(steps[0])
	m.Rewatch()
	m.pods.start()
	shown := m.do(steps[1])
	require.Len(m.Env.T, steps, 2)
	if m.off {
		assert.Contains(m.Env.T, shown, "not ready: PostgreSQL "+m.Namespace+"/"+idleService+": Powered off, although spec.powered isn't false")
	}
	assert.Equal(m.Env.T, m.off, strings.Contains(shown, "not ready"), "nothing else")
}

// reconcileAgain requests a reconcile of every object.
func (m *move) reconcileAgain() {
	m.Env.T.Helper()
	now := time.Now().UTC().Format(time.RFC3339Nano)
	for _, obj := range m.objects {
		m.Annotate(obj, reconcile, now)
	}
	for _, obj := range m.objects {
		m.Until(func() bool {
			m.Get(obj)
			return obj.GetCommonStatus().LastHandledReconcileAt == now
		}, func() string { return obj.GetName() + " isn't reconciled" })
	}
}

// nothingIsLost checks what objects and Secrets were at any moment since aiven-operator left them.
func (m *move) nothingIsLost() {
	m.Env.T.Helper()
	for _, obj := range m.objects {
		for _, state := range m.History(obj)[m.seen[obj.GetUID()]:] {
			assert.Contains(m.Env.T, state.GetFinalizers(), finalizer, obj.GetName())
			m.ownsNoneOf(state, "f:spec", "f:labels")
			if m.off && obj.GetName() == idleService {
				continue // it isn't ready, and says so
			}
			assert.Equal(m.Env.T, "true", state.GetAnnotations()[running], "%s %s", kindOf(obj), obj.GetName())
			if ready := testenv.Find(state, "Ready"); ready != nil {
				assert.Equal(m.Env.T, metav1.ConditionTrue, ready.Status, "%s: %s", obj.GetName(), ready.Message)
			}
		}
	}
	for name, data := range m.data {
		assert.Equal(m.Env.T, data, m.Secret(name).Data, name)
		for _, state := range m.SecretHistory(name) {
			assert.Equal(m.Env.T, slices.Sorted(maps.Keys(data)), slices.Sorted(maps.Keys(state.Data)), name)
		}
	}
}

// ownsNoneOf checks what aero has ever written to an object. A program that says nothing else is a field manager by the
// name of its file, and that of aiven-operator is the same.
func (m *move) ownsNoneOf(obj testenv.Object, fields ...string) {
	m.Env.T.Helper()
	for _, entry := range obj.GetManagedFields() {
		if entry.Manager != "manager" {
			continue
		}
		for _, field := range fields {
			assert.NotContains(m.Env.T, entry.FieldsV1.GetRawString(), field, obj.GetName())
		}
	}
}

// settleTheDrift checks the differences, and lets aero repair them: one by an annotation, one by an edit.
func (m *move) settleTheDrift() {
	m.Env.T.Helper()
	show, settle := m.page[drift][0], m.page[drift][1]
	shown := m.do(show)
	assert.Contains(m.Env.T, shown, "PostgreSQL "+m.Namespace+"/"+grownService)
	assert.Contains(m.Env.T, shown, "spec.plan: the spec says startup-4, Aiven has "+tagged)
	assert.Contains(m.Env.T, shown, "PostgreSQL "+m.Namespace+"/"+idleService)
	idle := m.objects[len(m.objects)-1].(*v1alpha1.PostgreSQL)
	m.Wait(idle, testenv.Condition("Ready", metav1.ConditionUnknown, "ServicePoweredOff"), testenv.Phase(v1alpha1.PhaseNotAvailable),
		testenv.Condition("Drifted", metav1.ConditionTrue, "TakenOver"))
	m.do(strings.ReplaceAll(settle, "my-namespace", m.Namespace))
	m.Until(func() bool { return m.service(grownService).Plan == "startup-4" }, func() string { return "the plan isn't repaired" })
	m.Change(idle, func() { idle.Spec.MaintenanceWindowTime = "04:30:00" })
	m.Until(func() bool {
		return m.service(idleService).State == service.ServiceStateTypeRunning
	}, func() string { return "the service isn't powered on" })
	m.off = false
	for _, obj := range m.objects {
		m.Wait(obj, testenv.Ready())
		m.CatchUp()
		m.seen[obj.GetUID()] = len(m.History(obj)) // repairs are no rest
	}
	assert.NotContains(m.Env.T, m.do(show), m.Namespace)
}

// end deletes everything, at Aiven too, and aero.
func (m *move) end() {
	m.Env.T.Helper()
	for _, obj := range m.objects {
		m.Delete(obj)
	}
	for _, obj := range m.objects {
		m.WaitGone(obj)
	}
	step := m.Example("upgradepipelinestep").(*v1alpha1.UpgradePipelineStep).Spec
	require.NoError(m.Env.T, m.Aiven.Console.ServiceDelete(m.Env.T.Context(), step.DestinationProjectName, step.DestinationServiceName))
	for _, left := range m.Aiven.Resources() {
		assert.NotContains(m.Env.T, []string{"service", "project_vpc"}, left.Type, left.ID)
	}
	m.do("helm -n aero-system uninstall aero")
	m.pods.stop()
	m.section(tidy)
}

func kindOf(obj client.Object) string { return obj.GetObjectKind().GroupVersionKind().Kind }
