package docs

import "testing"

// TestAllExamplesGetReadyAsMakeRunPrints types what make run prints, up to the examples, and compares what kubectl prints of them with
// the pages of the kinds.
func TestAllExamplesGetReadyAsMakeRunPrints(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.types(`
bin/demo --run --no-color --bin bin --root . > run.log 2>&1 &
until grep --quiet controlplane.log run.log; do kill -0 $!; sleep 0.2; done
sed -n '/^export KUBECONFIG/,/^kubectl aero/p' run.log > typed.sh
source typed.sh
test "$(kubectl get aiven -o name | wc -l)" = "$(cat docs/examples/*.yaml | grep -c '^kind:')"
kubectl wait --for=condition=Ready --timeout=3m aiven --all
` + printExamples + `
kubectl delete aiven --all --timeout=2m
kill $!
wait $!
`)
	m.printedExamples()
}
