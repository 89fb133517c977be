package migrate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/harness/testenv"
)

// TestADeletedCRDCostsNothingAtAiven deletes all CRDs, and does what the page says then.
func TestADeletedCRDCostsNothingAtAiven(t *testing.T) {
	s := newShell(t)
	installKinds(t, s)
	s.do("for crd in config/crd/bases/aero-operator.io_*.yaml; do kubectl apply --server-side -f $crd; done; " +
		"kubectl wait --for=condition=Established --timeout=60s crd --all")
	kinds := []string{"PostgreSQL", "Database", "ServiceUser", "Flink", "Grafana", "OpenSearch", "Valkey"} // more than are deleted at a time
	e := testenv.New(t, testenv.Options{Kinds: kinds, Outside: true})
	s.do("helm install -n $OLD aiven-operator aiven/aiven-operator\n" +
		"kubectl delete validatingwebhookconfiguration,mutatingwebhookconfiguration aiven-operator-validate aiven-operator-mutate --ignore-not-found\n" +
		"helm install aero charts/aero -n " + ours + " --create-namespace")
	t.Cleanup(func() { s.do("helm uninstall aero -n " + ours + "; helm uninstall aiven-operator -n $OLD") })
	pods := newPods(t, e)
	e.Operator.Start()
	data := map[string]map[string][]byte{}
	for _, kind := range kinds {
		e.Create(e.Example(strings.ToLower(kind)))
	}
	for _, kind := range kinds {
		obj := e.Example(strings.ToLower(kind))
		e.Wait(obj, testenv.Ready())
		if secret := publishes(obj); secret != "" {
			data[secret] = e.Secret(secret).Data
		}
	}
	s.do(s.page[check][len(s.page[check])-1]) // the copy
	e.Operator.Stop()
	mark := e.Aiven.Mark()
	s.do("until kubectl delete crd --all --wait=false; do sleep 1; done") // a policy that is gone may live on for a moment

	steps := s.page[rescue]
	require.Len(t, steps, 5)
	s.do(steps[0])
	s.do(steps[1])
	s.do(steps[2])
	e.Rewatch()
	s.do(steps[3])
	for name := range data {
		e.Until(func() bool { return e.Secret(name) == nil }, func() string { return name + " isn't collected" })
	}
	s.do(steps[4])
	pods.start()
	for _, kind := range kinds {
		obj := e.Example(strings.ToLower(kind))
		e.Wait(obj, testenv.Ready())
	}
	for name, before := range data {
		assert.Equal(t, before, e.Secret(name).Data, name)
	}
	assert.Empty(t, e.Aiven.Writes(mark))
	for _, name := range []string{"serviceuser", "database", "postgresql"} {
		obj := e.Example(name)
		e.Delete(obj)
		e.WaitGone(obj)
	}
}
