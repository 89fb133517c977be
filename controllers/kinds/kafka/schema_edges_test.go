package kafka

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/schemaregistry"
)

func TestALevelAloneRegistersNothing(t *testing.T) {
	a := registry(t)
	a.On(levelGet, aiventest.Refused(404, "none"), aiventest.OK(aiventest.Object{"compatibilityLevel": "FULL"}))
	a.On(levelPut, aiventest.OK(nil))
	obj, c := schema(full), Schema.New(schemaEnv(a))
	o, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	require.Equal(t, []string{levelPath}, o.Diff.Paths())
	o, err = c.Update(t.Context(), obj, o)
	require.NoError(t, err)
	assert.Empty(t, o.Diff)
	assert.True(t, o.Remote.Active)
}

// The level was taken out of the spec, changed by another client, and put in again.
func TestTheLevelOfAnEditedSchemaIsRead(t *testing.T) {
	a := registry(t)
	a.On(levelGet, aiventest.OK(aiventest.Object{"compatibilityLevel": "FULL"}), aiventest.OK(aiventest.Object{"compatibilityLevel": "NONE"}))
	env, obj := schemaEnv(a), schema(full, applied)
	o, err := Schema.New(env).Observe(t.Context(), obj)
	require.NoError(t, err)
	require.Empty(t, o.Diff)
	obj.Generation++
	o, err = Schema.New(env).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, []string{levelPath}, o.Diff.Paths())
}

func TestAfterItsCreationOnlyTheVersionOfASchemaIsRead(t *testing.T) {
	a := registry(t)
	a.On(subjects, aiventest.OK(aiventest.Object{"subjects": []any{"others"}}))
	a.On(register, aiventest.OK(aiventest.Object{"id": 10}))
	a.On(levelPut, aiventest.OK(aiventest.Object{"compatibility": "FULL"}))
	client, err := aiven.New(aiven.Options{Transport: a, WatchInterval: time.Minute}).ForToken("a-token")
	require.NoError(t, err)
	env, obj := controllers.Env{Client: client, Memory: &sync.Map{}}, schema(unknown, full, func(s *v1alpha1.KafkaSchema) { s.Spec.Schema = `{"a": 0}` })
	c := Schema.New(env)
	_, err = c.Observe(t.Context(), obj)
	require.NoError(t, err)
	_, err = c.Create(t.Context(), obj)
	require.NoError(t, err)
	a.Calls()
	o, err := Schema.New(env).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.True(t, o.Remote.Active)
	assert.Empty(t, o.Diff)
	assert.Equal(t, []string{versions + "/1"}, a.Calls(), "the answers show the subject and its level")
}

func TestASchemaThatIsAcceptedAndNotShownIsPending(t *testing.T) {
	a := registry(t)
	a.On(subjects, aiventest.OK(aiventest.Object{"subjects": []any{}}))
	a.On(versions, aiventest.Refused(404, "Subject 'orders' not found."))
	a.On(register, aiventest.OK(aiventest.Object{"id": 20}))
	env, obj := schemaEnv(a), schema(unknown)
	c := Schema.New(env)
	_, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	o, err := c.Create(t.Context(), obj)
	require.NoError(t, err)
	assert.False(t, o.Remote.Active)
	o, err = Schema.New(env).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.NotEmpty(t, o.WaitFor, "it is pending, not absent")

	obj.Status.ID, obj.Status.Version = ptr.To(20), ptr.To(2)
	_, err = Schema.New(env).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.Equal(t, ptr.To(2), obj.Status.Version, "the objects that refer to it keep what they know")
	_, err = Schema.New(schemaEnv(a)).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.Nil(t, obj.Status.Version, "nothing was written, and it is gone")
}

func TestAnUpdateWaitsForTheVersionThatTheSpecNames(t *testing.T) {
	a := registry(t)
	a.On(subjects, aiventest.OK(aiventest.Object{"subjects": []any{"orders", "customers"}}))
	a.On(subjects+"/customers/versions/4", aiventest.Refused(404, "Version 4 not found."))
	obj, c := schema(naming), Schema.New(schemaEnv(a))
	o, err := c.Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.True(t, o.Remote.Exists, "the schema of an earlier spec")
	_, err = c.Update(t.Context(), obj, o)
	assert.Equal(t, fault.Conflict, fault.Of(err).Class)
	require.ErrorContains(t, err, "version 4 of subject customers")
}

func TestASchemaCannotReferToItself(t *testing.T) {
	for name, listed := range map[string][]any{"in a new subject": {}, "in a subject with other versions": {"orders"}} {
		t.Run(name, func(t *testing.T) {
			a := registry(t)
			a.On(subjects, aiventest.OK(aiventest.Object{"subjects": listed}))
			a.On(versions+"/4", aiventest.Refused(404, "Version 4 not found."))
			obj := schema(naming, func(obj *v1alpha1.KafkaSchema) { obj.Spec.References[0].Subject = obj.Spec.SubjectName })
			if len(listed) == 0 {
				unknown(obj)
				a.On(versions, aiventest.Refused(404, "Subject 'orders' not found."))
			}
			_, err := Schema.New(schemaEnv(a)).Observe(t.Context(), obj)
			assert.Equal(t, fault.Invalid, fault.Of(err).Class)
			require.ErrorContains(t, err, "spec.references: version 4 of orders, the subject of this object, doesn't exist, and a schema can't refer to itself. ")

			obj.DeletionTimestamp = ptr.To(metav1.Now())
			_, err = Schema.New(schemaEnv(a)).Observe(t.Context(), obj)
			require.NoError(t, err, "it goes all the same")
		})
	}
}

func TestAReferenceIsToAVersionInTheSameService(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(target, referrer *v1alpha1.KafkaSchema)
		class  fault.Class
	}{
		"ready":             {func(_, _ *v1alpha1.KafkaSchema) {}, fault.None},
		"without a version": {func(target, _ *v1alpha1.KafkaSchema) { unknown(target) }, fault.Unknown},
		"without one, while both go": {func(target, referrer *v1alpha1.KafkaSchema) {
			unknown(target)
			referrer.DeletionTimestamp = ptr.To(metav1.Now())
		}, fault.None},
		"of another service": {func(target, _ *v1alpha1.KafkaSchema) { target.Spec.ServiceName = "other" }, fault.Invalid},
		"of another project": {func(target, _ *v1alpha1.KafkaSchema) { target.Spec.Project = "other" }, fault.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			target, referrer := schema(), schema()
			tc.change(target, referrer)
			value, err := schemaReference.Ready(referrer, untyped(t, target))
			assert.Equal(t, tc.class, fault.Of(err).Class)
			if tc.class == fault.None {
				assert.Equal(t, schemaregistry.Reference{Subject: "orders", Version: ptr.Deref(target.Status.Version, 0)}, value)
			}
		})
	}
}

func TestSchemaDelete(t *testing.T) {
	ok, missing := aiventest.OK(nil), aiventest.Refused(404, "Subject 'orders' not found.")
	off := aiventest.Object{"user_config": aiventest.Object{"schema_registry": false}}
	for name, tc := range map[string]struct {
		service    aiventest.Answer
		soft, hard aiventest.Answer
		calls      []string
		outcome    deletion.Outcome
	}{
		"deleted":       {running(nil), ok, ok, []string{lookup, subjectRemove, subjectRemove}, deletion.Outcome{Done: true}},
		"gone":          {running(nil), missing, missing, []string{lookup, subjectRemove, subjectRemove, "GET service"}, deletion.Outcome{Done: true}},
		"not shown yet": {running(nil), ok, missing, []string{lookup, subjectRemove, subjectRemove}, deletion.Outcome{Pending: true}},
		"referred to by a schema of another client": {
			running(nil), aiventest.Refused(422, "One or more references exist (42206)"), ok, []string{lookup, subjectRemove},
			deletion.Outcome{Blocked: "Aiven rejected the request for now: One or more references exist (42206) (422 ServiceSchemaRegistrySubjectDelete)"},
		},
		"in a service whose registry is switched off": {
			running(off), ok, ok, []string{lookup},
			deletion.Outcome{Blocked: "Waiting for the schema registry: set spec.userConfig.schema_registry of service demo/my-kafka to true. " +
				"Or set the annotation controllers.aiven.io/deletion-policy=Orphan"},
		},
		"in a service of another type": {
			running(aiventest.Object{"user_config": aiventest.Object{}, "service_type": "mysql"}), ok, ok, []string{lookup, lookup}, deletion.Outcome{Done: true},
		},
		"in a service of another type that is off": {
			running(aiventest.Object{"state": "POWEROFF", "service_type": "mysql"}), ok, ok, []string{lookup, lookup}, deletion.Outcome{Done: true},
		},
		"in a service whose options Aiven doesn't show": {
			running(aiventest.Object{"user_config": nil}), ok, ok, []string{lookup, subjectRemove, subjectRemove}, deletion.Outcome{Done: true},
		},
		"in a service that is off": {
			running(aiventest.Object{"state": "POWEROFF"}), ok, ok, []string{lookup},
			deletion.Outcome{Blocked: "Service demo/my-kafka is POWEROFF. Power it on, or set the annotation controllers.aiven.io/deletion-policy=Orphan on this object"},
		},
		"in no service": {aiventest.Missing(), ok, ok, []string{lookup, lookup, "GET service"}, deletion.Outcome{Done: true}},
	} {
		t.Run(name, func(t *testing.T) {
			a := aiventest.New(t)
			a.On(lookup, tc.service)
			a.On(subjectRemove, tc.soft, tc.hard)
			err := Schema.New(schemaEnv(a)).Delete(t.Context(), schema())
			assert.Equal(t, tc.outcome, deletion.Of(err))
			assert.Equal(t, tc.calls, a.Calls())
		})
	}
}

// cachedEnv keeps what was read for a minute.
func cachedEnv(t *testing.T, a *aiventest.Aiven) controllers.Env {
	client, err := aiven.New(aiven.Options{Transport: a, WatchInterval: time.Minute}).ForToken("a-token")
	require.NoError(t, err)
	return controllers.Env{Client: client, Memory: &sync.Map{}}
}

func TestASchemaIsNotGoneByA404OfItsService(t *testing.T) {
	listed := aiventest.OK(aiventest.Object{"services": []any{
		aiventest.ServiceFields(aiventest.Object{"service_name": "my-kafka", "service_type": "kafka"}),
	}})
	t.Run("its project lists the service", func(t *testing.T) {
		a := aiventest.New(t)
		a.On(lookup, aiventest.Missing())
		a.On("GET service", listed)
		err := Schema.New(schemaEnv(a)).Delete(t.Context(), schema())
		assert.Equal(t, deletion.Outcome{Blocked: "Aiven lists service demo/my-kafka, and answers 404 for it"}, deletion.Of(err))
	})
	t.Run("the list can't be read", func(t *testing.T) {
		a := aiventest.New(t)
		a.On(lookup, aiventest.Missing())
		a.On("GET service", aiventest.Refused(503, "later"))
		err := Schema.New(schemaEnv(a)).Delete(t.Context(), schema())
		assert.Equal(t, fault.Server, fault.Of(err).Class)
	})
	t.Run("the 404 is from before", func(t *testing.T) {
		a := aiventest.New(t)
		a.On(lookup, aiventest.Missing(), running(nil))
		a.On(subjectRemove, aiventest.OK(nil))
		env := cachedEnv(t, a)
		_, err := env.Client.Service(t.Context(), aiventest.Project, "my-kafka")
		require.Error(t, err)
		require.NoError(t, Schema.New(env).Delete(t.Context(), schema()))
		assert.Equal(t, []string{lookup, lookup, subjectRemove, subjectRemove}, a.Calls())
	})
}

func TestSchemasThatWaitForTheirRegistryShareARead(t *testing.T) {
	a := aiventest.New(t)
	a.On(lookup, running(aiventest.Object{"user_config": aiventest.Object{"schema_registry": false}}))
	env := cachedEnv(t, a)
	for range 10 {
		require.NotEmpty(t, deletion.Of(Schema.New(env).Delete(t.Context(), schema())).Blocked)
	}
	_, err := Schema.New(env).Observe(t.Context(), schema())
	require.NoError(t, err)
	assert.Equal(t, []string{lookup}, a.Calls(), "and leave what was read to others")
}

func TestASchemaIsItsSubject(t *testing.T) {
	obj := schema(naming)
	assert.Equal(t, controllers.Identity{Name: "demo/my-kafka/orders"}, Schema.Identity(obj))
	assert.Equal(t, "orders", Schema.Item(obj).Key)
	require.Len(t, Schema.ReadsItems(obj), 1)
	assert.Equal(t, "customers", Schema.ReadsItems(obj)[0].Key)
}
