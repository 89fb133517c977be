package testenv

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/sampling"
	"github.com/aero-operator/aero/tests/localaiven"
)

// The Secret with the token that the examples refer to.
const (
	TokenSecret = "aiven-token"
	TokenKey    = "token"
)

// Object is an object of the group aiven.io.
type Object interface {
	client.Object
	GetAuthSecretRef() *v1alpha1.AuthSecretReference
	GetCommonStatus() *v1alpha1.CommonStatus
}

// Options of an Env. Most tests set only Kinds.
type Options struct {
	// Divisor of all timings of the operator; 0 means 200, which makes a minute one of 0.3 seconds. Polls are three times as fast.
	Divisor int
	// Config changes the operator's configuration after its timings were scaled.
	Config func(*config.Config)
	// Aiven are the options of the local Aiven. Without a ProvisionTime, services take a moment to start.
	Aiven localaiven.Options
	// NoToken leaves the token Secret out.
	NoToken bool
	// Transport wraps what carries the operator's requests to the API server.
	Transport func(http.RoundTripper) http.RoundTripper
	// Idle leaves the operator stopped.
	Idle bool
	// Outside leaves the operator to the test, which runs it as a process. What only its log could prove isn't checked.
	Outside bool
	// Second makes another namespace that the operator serves, too. It is the operator's own: Namespaces name token Secrets in it.
	Second bool
	// Beside shares the local Aiven and the project of another Env, as a second cluster does. All of them are namespaces of one
	// control plane, but neither operator can read an object, a Secret or a lease of the other operator's namespaces.
	Beside *Env
	// Tenants is how many namespaces more the operator serves, for users with the role edit: see Editor.
	Tenants int
	// Traced records spans, so that they are searched for secrets at the end, too.
	Traced bool
	// Kinds are the names of the kinds whose controllers run, and whose objects the test may create. A test names those that it needs:
	// the controllers of one are many times cheaper than those of thirty. One that needs all says KindNames(). An Operator that is
	// started without any fails the test; where none is, as it is Idle or Outside, objects of all kinds may be created.
	Kinds []string
}

// Env is the world of one test. Its methods fail the test rather than return errors.
type Env struct {
	T         *testing.T
	Client    client.WithWatch // may do everything
	Namespace string           // of this test alone
	Second    string           // another one, if asked for
	Tenants   []string         // namespaces of tenants, if asked for
	Project   string           // at Aiven
	Token     string           // in the token Secret
	Aiven     *Aiven
	Operator  *Operator

	kinds    []controllers.Registration // whose objects the test may create
	recorder *recorder
	planted  *planted
	outside  bool
	spans    *tracetest.SpanRecorder // nil unless traced
}

// New makes a namespace, a local Aiven and an operator that sees nothing else, and starts the operator. All of it ends
// with the test, which fails if an invariant was violated meanwhile.
func New(t *testing.T, o Options) *Env {
	t.Helper()
	require.NotNil(t, shared, "TestMain must call env.Main")
	sampling.Choose(t)
	namespace := newNamespace(t)
	e := &Env{
		T: t, Client: shared.client, Namespace: namespace, Project: namespace, Token: "token-of-" + namespace,
		kinds: registrations(t, o.Kinds), planted: &planted{}, outside: o.Outside,
	}
	if o.Second {
		e.Second = newNamespace(t)
	}
	for range o.Tenants {
		e.Tenants = append(e.Tenants, newNamespace(t))
	}
	e.Plant(e.Token)
	if o.Beside != nil {
		e.Aiven, e.Project = o.Beside.Aiven, o.Beside.Project
	} else {
		e.Aiven = newAiven(t, o.Aiven)
	}
	e.Operator = newOperator(e, o)
	e.recorder = record(t, e)
	cleanup(t, e.audit)
	if !o.NoToken {
		e.SetSecret(TokenSecret, map[string]string{TokenKey: e.Token})
	}
	if !o.Idle && !o.Outside {
		e.Operator.Start()
	}
	return e
}

// cleanup is t.Cleanup for functions that refer to much. A test that has ended in parallel to others stays in memory until all have, and
// with it the functions that it has called: two megabytes for each operator.
func cleanup(t *testing.T, end func()) {
	t.Cleanup(func() {
		end()
		end = nil
	})
}

// Plant names a value that must never appear in a status, an event or a line of the operator's log.
func (e *Env) Plant(secret string) { e.planted.add(secret) }

// Leaks reports whether a value that was named to Plant is in a text.
func (e *Env) Leaks(text string) bool { return e.planted.in(text) }

func newNamespace(t *testing.T) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	require.NoError(t, shared.client.Create(t.Context(), namespace))
	return namespace.Name
}
