package connectionsecret_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
)

const rotateRequested = "controllers.aiven.io/rotate-requested-at"

// The users of the rotations.
const first, second = "orders-app", "orders-app-2"

// secondUser is another user of the service of the examples.
func (w world) secondUser(change func(*v1alpha1.ServiceUser)) *v1alpha1.ServiceUser {
	user := w.Example("serviceuser").(*v1alpha1.ServiceUser)
	user.Name, user.Spec.ConnInfoSecretTarget.Name = second, second
	if change != nil {
		change(user)
	}
	return user
}

// turns is a rotation of both users.
func (w world) turns() *aero.ServiceUserRotation {
	obj := &aero.ServiceUserRotation{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "orders"}}
	obj.Spec.UserRefs = []aero.UserReference{{Name: first}, {Name: second}}
	obj.Spec.RotationInterval = metav1.Duration{Duration: 720 * time.Hour}
	obj.Spec.Presets = []aero.Preset{aero.PresetLibpq}
	return obj
}

// twoUsers has a rotation of two users, which is ready.
func twoUsers(t *testing.T, o testenv.Options) (world, *aero.ServiceUserRotation) {
	t.Helper()
	w := postgresql(t, o)
	user := w.secondUser(nil)
	w.Create(user)
	w.Wait(user, testenv.Ready())
	obj := w.turns()
	w.create(obj)
	return w, obj
}

// ask asks for a rotation.
func (w world) ask(obj *aero.ServiceUserRotation, request string) {
	w.Annotate(obj, rotateRequested, request)
}

// isHandled waits until a rotation is done.
func (w world) isHandled(obj *aero.ServiceUserRotation, request string) {
	w.T.Helper()
	w.Until(func() bool { w.Get(obj); return obj.Status.LastHandledRotateAt == request }, func() string {
		return fmt.Sprintf("the rotation %s isn't handled: %v", request, obj.Status)
	})
}

// logIn opens a session of a real PostgreSQL, with what a Secret says.
func logIn(ctx context.Context, secret *corev1.Secret) error {
	var parts []string
	for key, name := range map[string]string{"PGHOST": "host", "PGPORT": "port", "PGUSER": "user", "PGPASSWORD": "password", "PGDATABASE": "dbname"} {
		parts = append(parts, fmt.Sprintf("%s='%s'", name, secret.Data[key]))
	}
	connection, err := pgx.Connect(ctx, strings.Join(parts, " ")+" sslmode=require")
	if err != nil {
		return err
	}
	return connection.Close(ctx)
}

// application logs in with what the Secret says then, every 20 ms or as often as the machine can, until its end.
type application struct {
	mu       sync.Mutex
	logins   int
	last     time.Time     // when the last login began
	longest  time.Duration // from the beginning of a login to that of the next one
	failures []string
	stop     context.CancelFunc
	stopped  chan struct{}
}

func (w world) application(obj maker) *application {
	ctx, stop := context.WithCancel(w.T.Context())
	a, key := &application{stop: stop, stopped: make(chan struct{})}, client.ObjectKey{Namespace: obj.GetNamespace(), Name: obj.GetSecretName()}
	go func() {
		defer close(a.stopped)
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
				a.logInOnce(w, key)
			}
		}
	}()
	w.T.Cleanup(stop)
	return a
}

func (a *application) logInOnce(w world, key client.ObjectKey) {
	ctx, secret, read := context.Background(), &corev1.Secret{}, time.Now()
	err := w.Client.Get(ctx, key, secret)
	if err == nil {
		err = logIn(ctx, secret)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.logins > 0 {
		a.longest = max(a.longest, read.Sub(a.last))
	}
	a.last = read
	if a.logins++; err != nil {
		a.failures = append(a.failures, fmt.Sprintf("read %s ago, published at %s: %s",
			time.Since(read), secret.Annotations["controllers.aiven.io/active-since"], err))
	}
}

// hasRead waits until the application has logged in with what the Secret says now: the least that an interval of an hour leaves time for.
func (a *application) hasRead(w world) {
	w.T.Helper()
	count := func() int {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.logins
	}
	before := count()
	w.Until(func() bool { return count() >= before+2 }, func() string { return "the application doesn't log in" }) // one may have read it before
}

// end returns the number of logins, and what went wrong.
func (a *application) end() (int, []string) {
	a.stop()
	<-a.stopped
	a.longest = max(a.longest, time.Since(a.last))
	return a.logins, a.failures
}

// executioner ends the operator at one of its writes, before or after it takes effect: from then on, no request of it reaches the API server
// or the local Aiven.
type executioner struct {
	world

	mu    sync.Mutex
	left  int  // writes until it is dead; 0 for ever
	after bool // the last write takes effect
	dead  bool
	fault string
	died  chan struct{}
}

var errKilled = errors.New("the operator was killed")

// condemn lets the operator make n-1 writes more.
func (e *executioner) condemn(n int, after bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.left, e.after, e.dead, e.fault, e.died = n, after, false, "", make(chan struct{})
}

// pardon ends that.
func (e *executioner) pardon() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.left, e.dead = 0, false
}

// meet counts a write, and reports whether it is the last one. The lock is held.
func (e *executioner) meet() bool {
	if e.left == 0 || e.dead {
		return false
	}
	e.left--
	e.dead = e.left == 0
	return e.dead
}

type refusing func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f refusing) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// transport carries the operator's requests to the API server. Events don't count: they come later, and may be lost.
func (e *executioner) transport(next http.RoundTripper) http.RoundTripper {
	return refusing(func(r *http.Request) (*http.Response, error) {
		e.mu.Lock()
		if e.dead {
			e.mu.Unlock()
			return nil, errKilled
		}
		last := r.Method != http.MethodGet && !strings.HasSuffix(r.URL.Path, "/events") && e.meet()
		after, died := e.after, e.died
		e.mu.Unlock()
		if !last {
			return next.RoundTrip(r)
		}
		defer close(died)
		if after {
			response, err := next.RoundTrip(r)
			if err == nil {
				_ = response.Body.Close()
			}
		}
		return nil, errKilled
	})
}

// beforeWrite comes before a write at Aiven: the last one has no answer.
func (e *executioner) beforeWrite(r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.meet() {
		return
	}
	fault := localaiven.Fault{
		Match: localaiven.Match{Method: r.Method, Path: "^" + regexp.QuoteMeta(r.URL.EscapedPath()) + "$", Changes: true}, Times: 1,
		Effect: localaiven.Effect{Hold: localaiven.AfterApply},
	}
	if !e.after {
		fault.Effect = localaiven.Effect{Hold: localaiven.BeforeApply, Status: http.StatusServiceUnavailable}
	}
	e.fault = e.Aiven.AddFault(fault)
	id, died := e.fault, e.died
	go func() {
		e.isHeld(id)
		close(died)
	}()
}

// isHeld waits until a call is in a fault.
func (e *executioner) isHeld(id string) {
	assert.Eventually(e.T, func() bool {
		return slices.ContainsFunc(e.Aiven.Faults(), func(f localaiven.FaultState) bool { return f.ID == id && f.Held })
	}, time.Minute, time.Millisecond)
}

// restart is the next process.
func (e *executioner) restart() {
	e.Operator.Stop()
	e.mu.Lock()
	fault := e.fault
	e.died = make(chan struct{})
	e.mu.Unlock()
	if fault != "" {
		e.Aiven.Release(fault)
	}
	e.pardon()
	e.Operator.Start()
}

// killedAt has a rotation whose operator can be killed.
func killedAt(t *testing.T, o testenv.Options) (*executioner, *aero.ServiceUserRotation) {
	t.Helper()
	e := &executioner{died: make(chan struct{})}
	o.Transport = e.transport
	w, obj := twoUsers(t, o)
	e.world = w
	w.Aiven.OnWrite(e.beforeWrite)
	require.False(t, e.dead)
	return e, obj
}
