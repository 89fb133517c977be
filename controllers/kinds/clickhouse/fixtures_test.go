package clickhouse

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
)

const (
	lookup      = "GET service/my-ch"
	services    = "GET service"
	queryRoute  = "POST service/my-ch/clickhouse/query"
	selectRoles = queryRoute + ` {"database":"system","query":"SELECT name FROM system.roles"}`
)

// dependsOn is a spec that names the service.
func dependsOn() v1alpha1.ServiceDependant {
	var d v1alpha1.ServiceDependant
	d.Project, d.ServiceName = aiventest.Project, "my-ch"
	return d
}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: aiventest.Namespace, Name: name}
}

// clickhouseFields are a service of ClickHouse that runs, with some fields changed.
func clickhouseFields(changes aiventest.Object) aiventest.Object {
	fields := aiventest.ServiceFields(aiventest.Object{
		"service_name": "my-ch", "service_type": "clickhouse", "databases": []any{}, "connection_pools": nil,
		"service_uri_params": aiventest.Object{"host": "ch.test", "port": "12691", "user": "avnadmin", "password": "of-the-admin"},
	})
	for key, value := range changes {
		fields[key] = value
	}
	return fields
}

// running is the answer to a read of it.
func running() aiventest.Answer {
	return aiventest.OK(aiventest.Object{"service": clickhouseFields(nil)})
}

// rows is the answer to a SELECT of columns.
func rows(columns []string, data ...[]any) aiventest.Answer {
	meta := []any{}
	for _, column := range columns {
		meta = append(meta, aiventest.Object{"name": column, "type": "String"})
	}
	table := make([]any, 0, len(data))
	for _, row := range data {
		table = append(table, row)
	}
	return aiventest.OK(aiventest.Object{"meta": meta, "data": table, "summary": aiventest.Object{}})
}

// applied is the answer to a statement.
func applied() aiventest.Answer { return rows(nil) }

// clock is a client whose time a test moves.
type clock struct {
	*aiven.Client
	now time.Time
}

// lag is how long reads may lag behind writes.
const lag = 2 * time.Second

// moving is a client that serves reads from memory, for at most a minute.
func moving(t *testing.T, a *aiventest.Aiven) *clock {
	c := &clock{now: time.Now()}
	options := aiven.Options{Transport: a, WatchInterval: time.Minute, ReadLag: lag, Now: func() time.Time { return c.now }}
	client, err := aiven.New(options).ForToken("a-token")
	require.NoError(t, err)
	c.Client = client
	return c
}

// settle observes an object, and creates what isn't there.
func settle[T controllers.Object](ctx context.Context, kind controllers.Kind[T], client *aiven.Client, obj T) (controllers.Observation, error) {
	c := kind.New(controllers.Env{Client: client})
	o, err := c.Observe(ctx, obj)
	if err == nil && !o.Remote.Exists && o.WaitFor == "" {
		o, err = c.Create(ctx, obj)
	}
	return o, err
}

// hasGranted is an object that owns what it is about, and has granted this.
func hasGranted(obj *v1alpha1.ClickhouseGrant, granted *v1alpha1.ClickhouseGrants) {
	obj.Status.Provenance = &v1alpha1.Provenance{Type: v1alpha1.ProvenanceCreated, UID: obj.UID}
	obj.SetGranted(granted)
}
