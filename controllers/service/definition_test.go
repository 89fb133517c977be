package service

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/reference"
)

func TestAReplicaIsEnqueuedByItsSourceUntilItExists(t *testing.T) {
	kind, obj := definition().Kind(&v1alpha1.PostgreSQL{}), object()
	obj.Spec.ServiceIntegrations = []*v1alpha1.ServiceIntegrationItem{{IntegrationType: "read_replica", SourceServiceName: "main"}}
	own, source := aiven.ServiceKey{Project: aiventest.Project, Service: "my-pg"}, aiven.ServiceKey{Project: aiventest.Project, Service: "main"}
	assert.Equal(t, []aiven.ServiceKey{own, source}, kind.Services(obj))
	obj.Status.State = "REBUILDING"
	assert.Equal(t, []aiven.ServiceKey{own}, kind.Services(obj))
}

func TestTypesNeedWhatTheirDefinitionSays(t *testing.T) {
	for name, tc := range map[string]struct {
		edit    func(*Definition[pg])
		off     bool
		details int
		calls   []string
	}{
		"a type without details reads no CA": {
			edit: func(d *Definition[pg]) { d.Details = nil }, calls: []string{lookup},
		},
		"a type whose details have no CA doesn't read it": {
			edit: func(d *Definition[pg]) { d.NeedsCA = false }, details: 2, calls: []string{lookup},
		},
		"a type without backups is powered off at once": {
			edit: func(d *Definition[pg]) { d.NoBackups = true }, off: true, details: 2, calls: []string{lookup, "GET kms/ca"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, aiventest.Service(nil))
			d := definition()
			tc.edit(&d)
			obj := object()
			obj.Spec.Powered = ptr.To(!tc.off)
			o, err := d.Controller(controllers.Env{Client: a.Client()}).Observe(t.Context(), obj)
			require.NoError(t, err)
			assert.True(t, o.Remote.Active)
			assert.Empty(t, o.WaitFor)
			assert.Len(t, o.Details.Prefixed(), tc.details)
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}

// diskless is a kind whose spec has the fields that every service has, and no more.
type diskless struct {
	controllers.Object
	base v1alpha1.BaseServiceFields
	name string
}

func (d *diskless) GetName() string                                   { return d.name }
func (d *diskless) GetBaseServiceFields() *v1alpha1.BaseServiceFields { return &d.base }
func (d *diskless) GetServiceStatus() *v1alpha1.ServiceStatus         { return nil }

func TestAKindWithoutDiskAndSecretIsAService(t *testing.T) {
	c := &controller[*diskless]{Definition: Definition[*diskless]{Type: "kafka_connect", Options: func(*diskless) any { return nil }}}
	got, err := c.desired(&diskless{name: "connect", base: v1alpha1.BaseServiceFields{Plan: "startup-4"}})
	require.NoError(t, err)
	assert.Equal(t, "startup-4", got.plan)
	assert.Zero(t, got.diskMB)
}

func TestVPC(t *testing.T) {
	ref := &v1alpha1.ResourceReference{Name: "net", Namespace: "shared"}
	for name, tc := range map[string]struct {
		obj  pg
		want []reference.Target
	}{
		"none": {obj: object()},
		"by name": {
			obj:  edited(func(obj pg) { obj.Spec.ProjectVPCRef = ref }),
			want: []reference.Target{{NamespacedName: types.NamespacedName{Namespace: "shared", Name: "net"}}},
		},
		"an id wins": {obj: edited(func(obj pg) { obj.Spec.ProjectVPCRef, obj.Spec.ProjectVPCID = ref, "vpc-1" })},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, VPC.Targets(tc.obj)) })
	}
	assert.Equal(t, schema.GroupVersionKind{Group: "aiven.io", Version: "v1alpha1", Kind: "ProjectVPC"}, VPC.Kind)
}

func TestProtected(t *testing.T) {
	assert.False(t, Protected(object()))
	assert.False(t, Protected(edited(func(obj pg) { obj.Spec.TerminationProtection = ptr.To(false) })))
	assert.True(t, Protected(edited(func(obj pg) { obj.Spec.TerminationProtection = ptr.To(true) })))
}
