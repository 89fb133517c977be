package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// What is made again has another id than the one in the status, if the operator is killed before it stores that. A deletion that comes
// meanwhile is one of what was made again.
func TestW06_WhatIsMadeAgainByAnOperatorThatIsKilledGoesWithItsObject(t *testing.T) {
	t.Parallel()
	for _, k := range allKinds {
		if k.remove == nil || holdsData(k) || k.engine != nil {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			e := testenv.New(t, testenv.Options{Outside: true, Kinds: k.needs()})
			s := &testCase{Env: e, kind: k, obj: e.Example(k.example)}
			s.prepare()
			before := s.ofTheKind()
			v := newVictim(e, trap{})
			deleted := s.obj.DeepCopyObject().(client.Object) // for another goroutine: the test reads s.obj meanwhile
			v.meanwhile = func() { s.Delete(deleted) }
			s.begin()
			require.Equal(t, before+1, s.ofTheKind())
			v.set(killedAfter)
			s.remove()
			s.WaitGone(s.obj)
			assert.True(t, v.isCaught(), "it must have been made again")
			assert.Equal(t, before, s.ofTheKind(), "nothing must be left")
			v.end()
		})
	}
}

// set sets a trap for the next write like the first one at Aiven.
func (v *victim) set(how string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	first := v.remote[0].What
	v.trap = trap{write{first, v.seen[first] + 1}, how}
}

func (v *victim) isCaught() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.caught
}
