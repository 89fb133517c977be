package conformance_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/sampling"
	"github.com/aero-operator/aero/tests/harness/testenv"
	"github.com/aero-operator/aero/tests/localaiven/engine"
)

var crashReport = flag.String("crash.report", "", "file for what came of each case, as JSON")

// outcome is what came of a case.
type outcome struct {
	Kind string `json:"kind"`
	write
	How    string `json:"how"`
	Caught bool   `json:"caught"` // whether the write was met at all
	OK     bool   `json:"ok"`
}

// ledger collects outcomes.
type ledger struct {
	mu  sync.Mutex
	all []outcome
}

func (l *ledger) add(o outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, o)
}

// write reports the result of all cases.
func (l *ledger) write(t *testing.T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	counts := map[string]int{}
	for _, o := range l.all {
		counts["cases"]++
		for what, holds := range map[string]bool{"survived": o.OK, "failed": !o.OK, "without the write": !o.Caught} {
			if holds {
				counts[what]++
			}
		}
	}
	t.Logf("crashes: %d cases, %d survived, %d failed, %d never met their write",
		counts["cases"], counts["survived"], counts["failed"], counts["without the write"])
	if *crashReport == "" {
		return
	}
	content, err := json.MarshalIndent(l.all, "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(*crashReport, content, 0o600))
}

func TestW06_AnOperatorThatIsKilledAtAWriteFinishesItLater(t *testing.T) {
	t.Parallel()
	var l ledger
	t.Cleanup(func() { l.write(t) })
	for _, m := range mortals() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			undisturbed := func(t *testing.T) *victim { return m.live(t, trap{}) }
			quiet := undisturbed(t) // no test of its own, so that -run can choose a single case
			require.NotEmpty(t, quiet.remote)
			require.NotEmpty(t, quiet.kube)
			if m.once {
				assert.Equal(t, 1, quiet.made(m.update), "resets of the password, which the edit asks for")
			}
			traps := quiet.sample(m.name, sampling.Commit)
			if *sampling.Whole {
				traps = quiet.traps()
			}
			for _, trap := range traps {
				t.Run(trap.String()+" "+trap.how, func(t *testing.T) {
					t.Parallel()
					o := outcome{Kind: m.name, write: trap.write, How: trap.how}
					t.Cleanup(func() { o.OK = !t.Failed(); l.add(o) })
					v := m.live(t, trap)
					o.Caught = v.caught
					assert.Equal(t, quiet.made(m.create), v.made(m.create), "times that it was made")
					if m.once { // each takes the password away from the applications that use it; that of a killed operator may be lost
						assert.LessOrEqual(t, v.made(m.update), quiet.made(m.update)+1, "resets of the password")
					}
					varies := strings.HasSuffix(trap.What, ofStatus) || strings.HasSuffix(trap.What, ofAnnotations)
					if !o.Caught && !varies { // a conflict may have led to it once
						varies = !slices.Contains(undisturbed(t).kube, trap.write)
					}
					assert.True(t, o.Caught || varies, "the write must be met")
				})
			}
		})
	}
}

// traps are all cases for a life that made these writes.
func (v *victim) traps() []trap {
	var traps []trap
	for _, w := range v.remote {
		for _, how := range remoteWays {
			traps = append(traps, trap{w, how})
		}
	}
	for _, w := range v.kube {
		for _, how := range kubeWays {
			traps = append(traps, trap{w, how})
		}
	}
	return traps
}

// sample are the cases that a commit tries: a write at Aiven in one way, and one at the API server, where each sort is as likely.
func (v *victim) sample(kind, commit string) []trap {
	choose := func(writes []write, ways []string, where string) trap {
		alike := map[string][]write{} // finalizer, annotations, Secret, status
		for _, w := range writes {
			alike[w.What] = append(alike[w.What], w)
		}
		sorts := slices.Sorted(maps.Keys(alike))
		sort := alike[sorts[sampling.Choice(commit, len(sorts), kind, where)]]
		w := sort[sampling.Choice(commit, len(sort), kind, where, "which")]
		return trap{w, ways[sampling.Choice(commit, len(ways), kind, where, "way")]}
	}
	return []trap{choose(v.remote, remoteWays, "Aiven"), choose(v.kube, kubeWays, "API server")}
}

// live takes an object from creation to its end. The victim that it returns is dead for good.
func (m mortal) live(t *testing.T, trap trap) *victim {
	t.Helper()
	options := testenv.Options{Outside: true, Kinds: m.needs()}
	if m.engine != nil {
		options.Aiven.Engines = []engine.Engine{m.engine}
	}
	e := testenv.New(t, options)
	s := &testCase{Env: e, kind: m.kind, obj: e.Example(m.example)}
	s.prepare()
	before := s.ofTheKind()
	if m.begin != nil {
		m.begin(e, s.obj)
	}
	v := newVictim(e, trap)
	s.begin()
	assert.Equal(t, before+1, s.ofTheKind(), "there must be one resource for the object")
	s.secretWorks()
	if m.edit != nil {
		s.Change(s.obj, func() { m.edit(e, s.obj) })
		s.Wait(s.obj, testenv.Ready())
		if m.password != "" {
			s.Until(func() bool { return s.hasPassword(m.password) }, func() string { return "the changed password isn't published" })
		}
		if m.reached != nil {
			s.Until(func() bool { return m.reached(e) }, func() string { return "the edit doesn't reach Aiven" })
			s.Wait(s.obj, testenv.Ready())
		}
		if m.rotates {
			s.isRotated("now")
		}
		assert.Equal(t, before+1, s.ofTheKind(), "there must be one resource after a change")
		s.secretWorks()
	}
	if m.once { // the credentials of one don't lead to another of its name
		s.remove()
		s.Until(func() bool { return s.ofTheKind() == before+1 }, func() string { return "what was removed at the console isn't made again" })
		s.secretWorks()
	}
	s.Delete(s.obj)
	s.WaitGone(s.obj)
	assert.Equal(t, before, s.ofTheKind(), "nothing must be left")
	s.Until(s.isTidy, func() string { return "the object's Secret or the finalizer of the token Secret is still there" })
	v.end()
	return v
}

// hasPassword reports whether the Secret has this password.
func (s *testCase) hasPassword(password string) bool {
	secret := s.secret()
	if secret == nil {
		return false
	}
	for key, value := range secret.Data {
		if strings.HasSuffix(key, "PASSWORD") && string(value) == password {
			return true
		}
	}
	return false
}

// ofTheKind is how many resources of the kind there are at Aiven, however they were made.
func (s *testCase) ofTheKind() int {
	n := 0
	for _, r := range s.Aiven.Resources() {
		if r.Type == s.kind.resource && (strings.HasPrefix(r.ID, s.Project+"/") || isProject(s.kind)) {
			n++
		}
	}
	return n
}

// isTidy reports whether the Secrets are as they were before the object.
func (s *testCase) isTidy() bool {
	return len(s.Secret(testenv.TokenSecret).Finalizers) == 0 && (!s.kind.publishes() || s.secret() == nil)
}

// secretWorks waits until the published password is the one that Aiven knows.
func (s *testCase) secretWorks() {
	if !s.kind.publishes() || isProject(s.kind) { // a project's has no password
		return
	}
	service := strings.Split(s.kind.path, "/")[0]
	problem := ""
	s.Until(func() bool {
		problem = s.wrongPassword(service)
		return problem == ""
	}, func() string { return problem })
}

// wrongPassword says what is wrong with the Secret, without saying the password.
func (s *testCase) wrongPassword(service string) string {
	secret := s.secret()
	if secret == nil {
		return "there is no Secret"
	}
	if s.kind.login != nil {
		if err := s.kind.login(s.Env, secret); err != nil {
			return "a login fails: " + err.Error()
		}
		return ""
	}
	value := func(endings ...string) string {
		for key, value := range secret.Data {
			if slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(key, ending) }) {
				return string(value)
			}
		}
		return ""
	}
	name := value("_USERNAME", "_USER")
	for _, user := range serviceAt(s.Env, service).Users {
		if user.Username == name {
			if user.Password == value("_PASSWORD") {
				return ""
			}
			return fmt.Sprintf("the password of %s in the Secret isn't the one at Aiven", name)
		}
	}
	return fmt.Sprintf("the user %q of the Secret isn't at Aiven", name)
}
