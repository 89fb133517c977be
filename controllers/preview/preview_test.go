package preview

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/aero-operator/aero/api/v1alpha1"
	pguserconfig "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/pg"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/impact"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// world is what an object is compared with.
type world struct {
	aiven   *aiventest.Aiven
	cluster []client.Object
	funcs   interceptor.Funcs // how the cluster answers
	options Options
}

func newWorld(t *testing.T) *world {
	w := &world{aiven: aiventest.New(t), options: Options{Adoption: "Never"}, cluster: []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}}}}
	w.aiven.On("GET service/my-pg", aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(aiventest.Object{
		"plan": "startup-4", "cloud_name": "google-europe-west1", "service_integrations": []any{},
		"databases": []any{"orders"}, "users": []any{}, "user_config": aiventest.Object{"pg_version": "15", "pg": aiventest.Object{"max_connections": 100}},
	})}))
	return w
}

func (w *world) compare(t *testing.T, obj controllers.Object) Result {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	require.NoError(t, corev1.AddToScheme(scheme))
	cluster := fake.NewClientBuilder().WithScheme(scheme).WithReturnManagedFields().WithObjects(w.cluster...).WithInterceptorFuncs(w.funcs).Build()
	c := newComparer(w.options, w.aiven.Client())
	c.cluster = cluster
	return c.compare(t.Context(), obj)
}

// owned is a PostgreSQL that manages the service.
func owned(spec func(*v1alpha1.PostgreSQL)) *v1alpha1.PostgreSQL {
	pg := &v1alpha1.PostgreSQL{ObjectMeta: metav1.ObjectMeta{
		Name: "my-pg", Namespace: "team", UID: "1", Generation: 2,
		Annotations: map[string]string{annotation.Processed: "1"}, Finalizers: []string{"finalizers.aiven.io/delete-remote-resource"},
	}}
	pg.Spec.Project, pg.Spec.Plan, pg.Spec.CloudName = aiventest.Project, "startup-4", "google-europe-west1"
	pg.Status.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: "1"}
	spec(pg)
	return pg
}

func TestAChangeIsShownWithWhatItCosts(t *testing.T) {
	for name, tc := range map[string]struct {
		obj  controllers.Object
		set  func(*world)
		want Result
	}{
		"nothing differs": {obj: owned(func(*v1alpha1.PostgreSQL) {}), want: Result{Action: Nothing}},
		"a plan, whose prices may not be read": {
			obj: owned(func(pg *v1alpha1.PostgreSQL) { pg.Spec.Plan = "business-8" }),
			set: func(w *world) {
				for _, plan := range []string{"startup-4", "business-8"} {
					w.aiven.On("GET pricing/service-types/pg/plans/"+plan+"/clouds/google-europe-west1", aiventest.Refused(403, "Forbidden"))
				}
			},
			want: Result{Action: Update, Changes: []Change{{
				Path: "spec.plan", From: "startup-4", To: "business-8", Impacts: []impact.Impact{impact.Cost, impact.NodesReplaced},
				Message: "nodes of the new plan replace the present ones, and connections are cut when they take over", Source: "AivenDocumentation",
			}}},
		},
		"a plan, with its prices": {
			obj: owned(func(pg *v1alpha1.PostgreSQL) { pg.Spec.Plan = "business-8" }),
			set: func(w *world) {
				for plan, price := range map[string]string{"startup-4": "0.08", "business-8": "0.4"} {
					w.aiven.On("GET pricing/service-types/pg/plans/"+plan+"/clouds/google-europe-west1", aiventest.OK(aiventest.Object{"base_price_usd": price}))
				}
			},
			want: Result{Action: Update, Changes: []Change{{
				Path: "spec.plan", From: "startup-4", To: "business-8", Impacts: []impact.Impact{impact.Cost, impact.NodesReplaced},
				Message: "nodes of the new plan replace the present ones, and connections are cut when they take over", Source: "AivenDocumentation",
				MonthlyPrice: &v1alpha1.MonthlyPrice{FromUSD: 58, ToUSD: 292},
			}}},
		},
		"an object that only reports": {
			obj: owned(func(pg *v1alpha1.PostgreSQL) {
				pg.Spec.Tags, pg.Annotations[annotation.Drift] = map[string]string{"team": "a"}, "Report"
			}),
			want: Result{
				Action: Leave, Message: "Not corrected because of the annotation controllers.aiven.io/drift-policy",
				Left: []Change{{Path: "spec.tags", From: "{}", To: `{team: "a"}`}},
			},
		},
		"a version that is lowered": {
			obj: owned(func(pg *v1alpha1.PostgreSQL) { pg.Spec.UserConfig = &pguserconfig.PgUserConfig{PgVersion: new("14")} }),
			want: Result{
				Action: Leave, Left: []Change{{Path: "spec.userConfig.pg_version", From: "15", To: "14"}},
				Message: "Not corrected: the service runs a newer version, and Aiven lowers none. Set that version in the spec",
			},
		},
		"an object that only reports, and nothing differs": {
			obj:  owned(func(pg *v1alpha1.PostgreSQL) { pg.Annotations[annotation.Drift] = "Report" }),
			want: Result{Action: Nothing},
		},
		"an observed object, and nothing differs": {
			obj:  owned(func(pg *v1alpha1.PostgreSQL) { pg.Annotations[annotation.Management] = "Observe" }),
			want: Result{Action: Nothing},
		},
		"a route that is opened for the first time": {
			obj: owned(func(pg *v1alpha1.PostgreSQL) {
				pg.Spec.UserConfig = &pguserconfig.PgUserConfig{PublicAccess: &pguserconfig.PublicAccess{Pg: new(true)}}
			}),
			want: Result{Action: Update, Changes: []Change{{Path: "spec.userConfig.public_access.pg", From: userconfig.NotReturned, To: "true"}}},
		},
		"a route that may be open is closed": {
			obj: owned(func(pg *v1alpha1.PostgreSQL) {
				pg.Spec.UserConfig = &pguserconfig.PgUserConfig{PublicAccess: &pguserconfig.PublicAccess{Pg: new(false)}}
			}),
			want: Result{Action: Update, Changes: []Change{{
				Path: "spec.userConfig.public_access.pg", From: userconfig.NotReturned, To: "false", Impacts: []impact.Impact{impact.AccessLost},
				Message: "clients that connect this way no longer can", Source: "FieldDescription",
			}}},
		},
		"a disruptive change that is held": {
			obj: owned(func(pg *v1alpha1.PostgreSQL) {
				pg.Spec.Plan, pg.Annotations[annotation.ChangePolicy] = "business-8", "HoldDisruptive"
			}),
			set: func(w *world) {
				for _, plan := range []string{"startup-4", "business-8"} {
					w.aiven.On("GET pricing/service-types/pg/plans/"+plan+"/clouds/google-europe-west1", aiventest.Refused(403, "no"))
				}
			},
			want: Result{
				Action: Update, Message: "What is disruptive waits for approval: the policy controllers.aiven.io/change-policy is HoldDisruptive",
				Changes: []Change{{
					Path: "spec.plan", From: "startup-4", To: "business-8", Impacts: []impact.Impact{impact.Cost, impact.NodesReplaced},
					Message: "nodes of the new plan replace the present ones, and connections are cut when they take over", Source: "AivenDocumentation",
				}},
			},
		},
		"another one is made at once": {
			obj: owned(func(pg *v1alpha1.PostgreSQL) {
				pg.Spec.Tags, pg.Annotations[annotation.ChangePolicy] = map[string]string{"team": "a"}, "HoldDisruptive"
			}),
			want: Result{Action: Update, Changes: []Change{{Path: "spec.tags", From: "{}", To: `{team: "a"}`}}},
		},
		"each change, if all are held": {
			obj: owned(func(pg *v1alpha1.PostgreSQL) {
				pg.Spec.Tags, pg.Annotations[annotation.ChangePolicy] = map[string]string{"team": "a"}, "HoldAll"
			}),
			want: Result{
				Action: Update, Message: "The changes wait for approval: the policy controllers.aiven.io/change-policy is HoldAll",
				Changes: []Change{{Path: "spec.tags", From: "{}", To: `{team: "a"}`}},
			},
		},
		"a paused object": {
			obj: owned(func(pg *v1alpha1.PostgreSQL) {
				pg.Spec.Tags, pg.Annotations[annotation.Paused] = map[string]string{"team": "a"}, "true"
			}),
			want: Result{
				Action: Leave, Message: "The object is paused: nothing is written until it is resumed",
				Left: []Change{{Path: "spec.tags", From: "{}", To: `{team: "a"}`}},
			},
		},
		"a service that exists, and isn't the object's": {
			obj: owned(func(pg *v1alpha1.PostgreSQL) {
				pg.Finalizers, pg.Annotations, pg.Status.Provenance = nil, nil, nil
			}),
			want: Result{Action: Refuse, Message: "Already exists at Aiven, not created by this object. To adopt it, set controllers.aiven.io/adoption-policy=Adopt, see "},
		},
		"a service that doesn't exist": {
			obj: func() controllers.Object {
				pg := owned(func(pg *v1alpha1.PostgreSQL) {
					pg.Name, pg.Finalizers, pg.Annotations, pg.Status.Provenance = "new", nil, nil, nil
				})
				return pg
			}(),
			set:  func(w *world) { w.aiven.On("GET service/new", aiventest.Missing()) },
			want: Result{Action: Create},
		},
		"a spec that can't be": {
			obj:  owned(func(pg *v1alpha1.PostgreSQL) { pg.Spec.DiskSpace = "much" }),
			want: Result{Action: Refuse, Message: "spec.disk_space: must be a size in GiB"},
		},
		"a token that may not read": {
			obj:  owned(func(pg *v1alpha1.PostgreSQL) { pg.Name = "hidden" }),
			set:  func(w *world) { w.aiven.On("GET service/hidden", aiventest.Refused(403, "Forbidden")) },
			want: Result{Action: Unknown, Message: "Use a token in AIVEN_TOKEN whose user has the permission to read it"},
		},
		"a Namespace that doesn't allow the project": {
			obj: owned(func(*v1alpha1.PostgreSQL) {}),
			set: func(w *world) {
				w.cluster[0].SetAnnotations(map[string]string{annotation.AllowedProjects: "other"})
			},
			want: Result{Action: Refuse, Message: "Namespace team may not use project " + aiventest.Project},
		},
		"a Namespace that doesn't exist": {
			obj:  owned(func(pg *v1alpha1.PostgreSQL) { pg.Namespace = "nowhere" }),
			want: Result{Action: Unknown, Message: "reading Namespace nowhere"},
		},
		"a Secret that the object names is missing": {
			obj: &v1alpha1.ServiceUser{
				ObjectMeta: metav1.ObjectMeta{Name: "app", Namespace: "team"},
				Spec: v1alpha1.ServiceUserSpec{
					ServiceDependant:     v1alpha1.ServiceDependant{ProjectDependant: v1alpha1.ProjectDependant{ProjectField: v1alpha1.ProjectField{Project: aiventest.Project}}, ServiceField: v1alpha1.ServiceField{ServiceName: "my-pg"}},
					ConnInfoSecretSource: &v1alpha1.ConnInfoSecretSource{Name: "password", PasswordKey: "key"},
				},
			},
			want: Result{Action: Unknown, Message: "password"},
		},
		"a service that isn't there for what lives in it": {
			obj: &v1alpha1.Database{
				ObjectMeta: metav1.ObjectMeta{Name: "app", Namespace: "team"},
				Spec:       v1alpha1.DatabaseSpec{ServiceDependant: v1alpha1.ServiceDependant{ProjectDependant: v1alpha1.ProjectDependant{ProjectField: v1alpha1.ProjectField{Project: aiventest.Project}}, ServiceField: v1alpha1.ServiceField{ServiceName: "none"}}},
			},
			set:  func(w *world) { w.aiven.On("GET service/none", aiventest.Missing()) },
			want: Result{Action: Create, Message: "Once service demo/none exists"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if tc.set != nil {
				tc.set(w)
			}
			got := w.compare(t, tc.obj)
			assert.Contains(t, got.Message, tc.want.Message)
			if tc.want.Message == "" {
				assert.Empty(t, got.Message)
			}
			assert.Equal(t, tc.want.Action, got.Action, got.Message)
			assert.Equal(t, tc.want.Changes, got.Changes)
			assert.Equal(t, tc.want.Left, got.Left)
		})
	}
}

func TestOnlyWhatIsWrittenCounts(t *testing.T) {
	disruptive := []Change{{Impacts: []impact.Impact{impact.Restart}}}
	for action, writes := range map[Action]bool{Nothing: false, Create: true, Update: true, Leave: false, Refuse: false, Unknown: false} {
		assert.Equal(t, writes, Result{Action: action}.Writes(), action)
	}
	assert.True(t, Result{Action: Update, Changes: disruptive}.Disruptive())
	assert.False(t, Result{Action: Leave, Left: disruptive}.Disruptive())
}

func TestKafkaIsNotPoweredOffWithoutConsent(t *testing.T) {
	w := newWorld(t)
	w.aiven.On("GET service/my-kafka", aiventest.OK(aiventest.Object{"service": aiventest.ServiceFields(aiventest.Object{
		"service_name": "my-kafka", "service_type": "kafka", "plan": "business-4", "cloud_name": "google-europe-west1", "service_integrations": []any{},
	})}))
	kafka := &v1alpha1.Kafka{ObjectMeta: owned(func(*v1alpha1.PostgreSQL) {}).ObjectMeta}
	kafka.Name = "my-kafka"
	kafka.Spec.Project, kafka.Spec.Plan, kafka.Spec.Powered = aiventest.Project, "business-4", ptr.To(false)
	kafka.Status.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: "1"}
	got := w.compare(t, kafka)
	assert.Equal(t, Leave, got.Action, got.Message)
	assert.Contains(t, got.Message, "Not applied without the annotation controllers.aiven.io/confirm-data-loss")
	require.Len(t, got.Left, 1)
	assert.Contains(t, got.Left[0].Impacts, impact.DataLoss)
}

func TestLoginAndPolicyAreChecked(t *testing.T) {
	_, err := New(Options{Adoption: "Sometimes"})
	assert.ErrorContains(t, err, "--adoption-policy must be Never, Adopt or AdoptOrCreate")
	_, err = New(Options{Adoption: "Never", Recreate: "always"})
	assert.ErrorContains(t, err, "--recreate-policy must be Never or Always")
	_, err = New(Options{Adoption: "Never"})
	assert.ErrorContains(t, err, "AIVEN_TOKEN isn't set")
}
