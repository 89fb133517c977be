package main

import (
	"bytes"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// operatorEnv makes the test program an operator that is ready at once.
const operatorEnv = "AERO_TEST_IS_OPERATOR"

// playOperator answers at the address that the command line names, until it is asked to end.
func playOperator(args []string) {
	address := args[slices.Index(args, "--health-probe-bind-address")+1]
	server := &http.Server{Addr: address, Handler: http.NotFoundHandler(), ReadHeaderTimeout: time.Second}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	if err := server.ListenAndServe(); err != nil {
		os.Exit(exitFailed)
	}
}

// output is what a program has printed so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func TestRunPrintsWhatToTypeAndEndsWithASignalLeavingNothing(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	operator := "export " + operatorEnv + "=1\nexec " + self + ` "$@"` + "\n"
	for name, c := range map[string]struct {
		program string
		flags   []string
		prints  []string
	}{
		"the operator alone": {
			program: "manager", flags: []string{"--run"},
			prints: []string{
				"bin/manager", "export KUBECONFIG=", "export AIVEN_WEB_URL=http://127.0.0.1:", "export AIVEN_TOKEN=any", "kubectl apply -f config/admission -f config/manager/aggregate.yaml", "docs/examples/project.yaml\n", "docs/examples\n", "bin/k8s:$PATH", "kubectl aero tree", "kubectl get postgresql --watch", "reset-credentials", "/metrics", "manager.log", "localaiven.log", "controlplane.log",
			},
		},
		"the operator under a debugger": {
			program: "dlv", flags: []string{"--run", "--debug", "127.0.0.1:2345"},
			prints: []string{"bin/dlv", "dlv connect 127.0.0.1:2345", "export KUBECONFIG=", "dlv.log"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStageSet(t, map[string]string{"controlplane": plane, "localaiven": aiven, c.program: operator, "k8s/kubectl": "exit 0\n"}, c.flags...)
			require.Eventually(t, func() bool { return strings.Contains(s.out.String(), "controlplane.log") }, limit, 10*time.Millisecond, &s.out)
			require.NoError(t, s.cmd.Process.Signal(syscall.SIGINT))
			assert.Zero(t, s.end(), "the interrupt was asked for")
			for _, text := range c.prints {
				assert.Contains(t, s.out.String(), text)
			}
			assert.NotContains(t, s.out.String(), "aiven --watch", "kubectl refuses to watch a category")
			s.nothingLeft()
		})
	}
}

func TestTheDebuggerGetsTheOperatorsFlags(t *testing.T) {
	d := &demo{options: options{bin: "/bin", run: true, debug: "127.0.0.1:2345"}}
	program, args := d.operatorCommand([]string{"--flag"})
	assert.Equal(t, "dlv", program)
	assert.Equal(t, "exec", args[0])
	assert.Contains(t, args, "--continue", "the operator must not wait for a debugger")
	assert.Equal(t, []string{"/bin/debug/manager", "--", "--flag"}, args[len(args)-3:])
}
