package connectionsecret_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/config"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// writes counts what the operator writes about ConnectionSecrets: their Secrets and statuses, by verb and resource.
type writes struct {
	next http.RoundTripper

	mu    sync.Mutex
	count map[string]int
}

// RoundTrip implements http.RoundTripper.
func (w *writes) RoundTrip(request *http.Request) (*http.Response, error) {
	path := request.URL.Path
	if request.Method != http.MethodGet && (strings.Contains(path, "/secrets") || strings.Contains(path, "/connectionsecrets/")) {
		parts := strings.Split(path, "/")
		name := request.Method + " " + parts[len(parts)-1]
		if strings.HasPrefix(parts[len(parts)-1], "reader-") {
			name = request.Method + " a Secret"
		}
		w.mu.Lock()
		w.count[name]++
		w.mu.Unlock()
	}
	return w.next.RoundTrip(request)
}

func (w *writes) now() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	counted := map[string]int{}
	for name, n := range w.count {
		counted[name] = n
	}
	return counted
}

// TestManyOfFewSourcesCostTwoWritesEachAndNoCallOfAiven has 200 ConnectionSecrets of 20 users, while no timer makes a call.
func TestManyOfFewSourcesCostTwoWritesEachAndNoCallOfAiven(t *testing.T) {
	t.Parallel()
	const users, each = 20, 10
	counted := &writes{count: map[string]int{}}
	w := postgresql(t, testenv.Options{Config: func(c *config.Config) {
		testenv.OnlyWatches(c)
		c.WatchInterval, c.ListInterval = time.Hour, time.Hour
		c.FirstStatus = time.Hour // however slow the machine is, what waits for its source has no status yet
	}, Transport: func(next http.RoundTripper) http.RoundTripper {
		counted.next = next
		return counted
	}})
	for i := range users {
		user := w.Example("serviceuser").(*v1alpha1.ServiceUser)
		user.Name, user.Spec.ConnInfoSecretTarget.Name = fmt.Sprintf("user-%d", i), fmt.Sprintf("user-%d", i)
		w.Create(user)
	}
	for i := range users {
		user := w.Example("serviceuser").(*v1alpha1.ServiceUser)
		user.Name = fmt.Sprintf("user-%d", i)
		w.Wait(user, testenv.Ready())
	}
	before, mark := counted.now(), w.Aiven.Mark()
	var all []*aero.ConnectionSecret
	for i := range users * each {
		obj := w.reader(libpq)
		obj.Name, obj.Spec.SourceRef.Name = fmt.Sprintf("reader-%d", i), fmt.Sprintf("user-%d", i%users)
		w.Create(obj)
		all = append(all, obj)
	}
	for _, obj := range all {
		w.ready(obj)
	}
	after := counted.now()
	t.Logf("%v, then %v", before, after)
	assert.Empty(t, w.Aiven.Calls(mark), "what they publish, the reconciles of the users have read")
	assert.Equal(t, users*each, after["POST secrets"]-before["POST secrets"])
	assert.Equal(t, users*each, after["PATCH status"]-before["PATCH status"])
	assert.Zero(t, after["PATCH a Secret"])
}
