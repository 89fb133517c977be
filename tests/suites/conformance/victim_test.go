package conformance_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven"
	"github.com/aero-operator/aero/tests/localaiven/process"
)

// write is one write of the operator in the life of an object: what it was, and the how many-th of its like.
type write struct {
	What string `json:"write"` // such as "POST user" or "PATCH serviceusers/status"
	Nth  int    `json:"nth"`
}

func (w write) String() string { return fmt.Sprintf("%s %d", w.What, w.Nth) }

// The ways in which a write goes wrong.
const (
	killedBefore = "killed before it took effect"
	killedAfter  = "killed after it took effect"
	answerLost   = "answer lost"
)

// The ways of writes at Aiven, and of those at the API server.
var (
	remoteWays = []string{killedBefore, killedAfter, answerLost}
	kubeWays   = []string{killedBefore, killedAfter}
)

// trap is a write that goes wrong; the zero value is none.
type trap struct {
	write

	how string
}

// victim is the operator as a process that is killed at a write, and started again. It sees Kubernetes through a proxy
// that counts its writes.
type victim struct {
	*testenv.Env
	trap trap
	// meanwhile is done between the end of a process that a write at Aiven has ended and the start of the next one; nil for nothing.
	meanwhile func()
	dir       string
	api       *httptest.Server

	mu      sync.Mutex
	program *process.Program
	starts  int
	ended   bool // for good
	seen    map[string]int
	remote  []write  // at Aiven
	kube    []write  // at the API server, without events: those may be lost
	secrets []string // what was accepted of lists and watches of Secrets
	caught  bool
}

func newVictim(e *testenv.Env, t trap) *victim {
	v := &victim{Env: e, trap: t, dir: e.T.TempDir(), seen: map[string]int{}}
	config := e.RESTConfig()
	target, err := url.Parse(config.Host)
	require.NoError(e.T, err)
	transport, err := rest.TransportFor(config)
	require.NoError(e.T, err)
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1, // watches
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	v.api = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { v.forward(proxy, w, r) }))
	e.Aiven.OnWrite(v.beforeWrite)
	e.T.Cleanup(v.end)
	v.start()
	return v
}

// start starts a process that knows nothing of the one before.
func (v *victim) start() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ended {
		return
	}
	kubeconfig := filepath.Join(v.dir, "kubeconfig")
	content := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "it",
		"clusters": [{"name": "it", "cluster": {"server": %q}}], "users": [{"name": "it", "user": {}}],
		"contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}]}`, v.api.URL)
	if !assert.NoError(v.T, os.WriteFile(kubeconfig, []byte(content), 0o600)) {
		return
	}
	cmd := exec.Command(v.Env.Program("manager"), append(v.Operator.Flags(),
		"--metrics-bind-address=0", "--health-probe-bind-address=0", "--zap-log-level=info")...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "AIVEN_WEB_URL="+v.Aiven.URL, "WATCHED_NAMESPACES="+v.Namespace,
		"DEFAULT_AIVEN_TOKEN=", "LOG_LEVEL=")
	v.starts++
	program, err := process.Launch("the operator", filepath.Join(v.dir, fmt.Sprintf("log-%d", v.starts)), cmd, syscall.SIGKILL)
	assert.NoError(v.T, err)
	v.program = program
}

// kill ends the process in the middle of what it does.
func (v *victim) kill() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.program.Signal(syscall.SIGKILL)
	<-v.program.Done()
}

// end ends the process for good, once. What it wrote doesn't change any more.
func (v *victim) end() {
	v.mu.Lock()
	again := v.ended
	v.ended = true
	v.mu.Unlock()
	if again {
		return
	}
	v.Aiven.OnWrite(nil)
	v.Aiven.RemoveFaults()
	v.kill()
	for n := range v.starts {
		content, err := os.ReadFile(filepath.Join(v.dir, fmt.Sprintf("log-%d", n+1)))
		assert.NoError(v.T, err)
		assert.False(v.T, v.Leaks(string(content)), "a secret is in the operator's log")
	}
	if v.T.Failed() {
		v.T.Log("The end of the operator's log:\n" + strings.Join(v.program.Lines(20), "\n"))
	}
	v.api.CloseClientConnections()
	v.api.Close()
}

// made is how often a create took effect, also when its response was lost.
func (v *victim) made(create string) int {
	n := 0
	for _, call := range v.Aiven.Calls(0) {
		if call.Operation == create && testenv.IsWrite(call) && call.Status < http.StatusBadRequest {
			n++
		}
	}
	return n
}

// meet counts a write, and reports whether it is the one to go wrong.
func (v *victim) meet(what string, list *[]write) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen[what]++
	w := write{what, v.seen[what]}
	*list = append(*list, w)
	hit := w == v.trap.write && !v.caught
	v.caught = v.caught || hit
	return hit
}

// forget takes the last of such writes at the API server back: it was refused because of a newer version of the object, which
// depends on what is read in between, and is made again.
func (v *victim) forget(what string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	last := write{what, v.seen[what]}
	v.seen[what]--
	v.kube = slices.DeleteFunc(v.kube, func(w write) bool { return w == last })
}

// statusWriter keeps the status of an answer.
type statusWriter struct {
	http.ResponseWriter

	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// forward hands a request of the operator to the API server.
func (v *victim) forward(proxy http.Handler, w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/secrets") && r.Method == http.MethodGet {
		v.mu.Lock()
		v.secrets = append(v.secrets, r.Header.Get("Accept"))
		v.mu.Unlock()
	}
	what, isWrite := kubeWrite(r)
	switch {
	case !isWrite:
		proxy.ServeHTTP(w, r)
		return
	case !v.meet(what, &v.kube):
		answer := &statusWriter{ResponseWriter: w}
		proxy.ServeHTTP(answer, r)
		if answer.status == http.StatusConflict {
			v.forget(what)
		}
		return
	case v.trap.how == killedAfter:
		// Its end must not end the request.
		proxy.ServeHTTP(httptest.NewRecorder(), r.WithContext(context.WithoutCancel(r.Context())))
	}
	v.kill()
	v.start()
	panic(http.ErrAbortHandler) // there is no client to respond to
}

var kubePath = regexp.MustCompile(`^/apis?/(?:v1|[^/]+/[^/]+)/namespaces/[^/]+/([^/]+)(?:/[^/]+)?(/[^/]+)?$`)

// The ends of the names of writes whose number depends on what is seen in between, such as a state that a service passes through.
const (
	ofStatus      = "/status"
	ofAnnotations = " annotations"
)

// kubeWrite names a write, such as "PATCH databases/status". A patch of an object that keeps its finalizers is one of annotations.
// Events aren't counted.
func kubeWrite(r *http.Request) (string, bool) {
	parts := kubePath.FindStringSubmatch(r.URL.Path)
	if r.Method == http.MethodGet || parts == nil || parts[1] == "events" {
		return "", false
	}
	what := r.Method + " " + parts[1] + parts[2]
	if r.Method != http.MethodPatch || parts[1] == "secrets" || parts[2] != "" {
		return what, true
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err == nil && !bytes.Contains(body, []byte(`"finalizers"`)) {
		what += ofAnnotations
	}
	return what, true
}

// madeUp is an id that differs from life to life.
var madeUp = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f-]+$`)

// aivenWrite names a write by its method and the fixed parts of its path.
func aivenWrite(r *http.Request) string {
	var parts []string
	for i, part := range strings.Split(strings.Trim(r.URL.Path, "/"), "/") {
		if i%2 == 1 && i > 1 && !madeUp.MatchString(part) { // v1 project NAME service NAME user NAME
			parts = append(parts, part)
		}
	}
	return r.Method + " " + strings.Join(parts, "/")
}

// beforeWrite comes before a write of the operator at Aiven.
func (v *victim) beforeWrite(r *http.Request) {
	if !v.meet(aivenWrite(r), &v.remote) {
		return
	}
	fault := localaiven.Fault{
		Match: localaiven.Match{Method: r.Method, Path: "^" + regexp.QuoteMeta(r.URL.EscapedPath()) + "$", Changes: true}, Times: 1,
	}
	switch v.trap.how {
	case answerLost:
		fault.Effect.Drop = localaiven.AfterApply
		v.Aiven.AddFault(fault)
		return
	case killedBefore:
		fault.Effect.Hold, fault.Effect.Status = localaiven.BeforeApply, http.StatusServiceUnavailable
	default:
		fault.Effect.Hold = localaiven.AfterApply
	}
	id := v.Aiven.AddFault(fault)
	go func() {
		v.held(id)
		v.kill()
		v.Aiven.Release(id)
		if v.meanwhile != nil {
			v.meanwhile()
		}
		v.start()
	}()
}

// held waits until a fault holds its call.
func (v *victim) held(id string) {
	assert.Eventually(v.T, func() bool {
		for _, fault := range v.Aiven.Faults() {
			if fault.ID == id && fault.Held {
				return true
			}
		}
		return false
	}, time.Minute, time.Millisecond)
}
