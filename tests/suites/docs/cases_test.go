package docs

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What was typed before a case.
const (
	installed = `
helm install aero-crds charts/aero-crds --namespace aero-system --create-namespace --wait > /dev/null
helm install aero charts/aero --namespace aero-system --wait > /dev/null
`
	examples = installed + living
	living   = `
kubectl create secret generic aiven-token --from-literal=token="$AIVEN_TOKEN"
kubectl apply -f docs/examples/postgresql.yaml -f docs/examples/database.yaml -f docs/examples/serviceuser.yaml
kubectl wait --for=condition=Ready --timeout=1m postgresql/my-pg database/orders serviceuser/orders-app
`
	// reported waits for the events of the examples, which come behind the status.
	reported = `until kubectl get events | grep --quiet 'InstanceIsRunning.*my-pg'; do sleep 0.2; done
`
)

// moving is what the page on deletion assumes where it moves a service from one namespace to another.
const moving = `
for namespace in old new; do
  kubectl create namespace $namespace
  kubectl -n $namespace create secret generic aiven-token --from-literal=token="$AIVEN_TOKEN"
done
sed s/my-pg/my-moved-pg/ docs/examples/postgresql.yaml > my-moved-pg.yaml
kubectl -n old apply -f my-moved-pg.yaml
kubectl -n old wait --for=condition=Ready --timeout=2m postgresql/my-moved-pg
kubectl -n new apply -f my-moved-pg.yaml
until kubectl -n new get postgresql my-moved-pg | grep Conflict; do sleep 1; done
`

// twins are all examples in two namespaces: those of the second one, which kubectl deletes last, are in a conflict unless they can share.
const twins = installed + `
curl --silent --fail --request POST --header 'Authorization: aivenv1 console' --header 'Content-Type: application/json' \
  --data '{"service_name": "my-pg", "service_type": "pg", "plan": "startup-4"}' "$AIVEN_WEB_URL/v1/project/my-production/service" > /dev/null
for namespace in shop store; do
  kubectl create namespace $namespace
  kubectl -n $namespace create secret generic aiven-token --from-literal=token="$AIVEN_TOKEN"
  kubectl -n $namespace apply -f docs/examples/project.yaml
  kubectl -n shop wait --for=condition=Ready --timeout=1m project/my-project
  kubectl -n $namespace apply -f docs/examples > /dev/null
  kubectl -n shop wait --for=condition=Ready --timeout=3m aiven --all > /dev/null
done
until ! kubectl -n store get aiven -o jsonpath='{range .items[*]}{.kind} {.status.conditions[?(@.type=="Ready")].reason}{"\n"}{end}' |
  tee reasons | grep --quiet --invert-match -e ' Conflict$' -e ' ReconciliationSucceeded$'; do
  sleep 1
done
test "$(grep -c ' Conflict$' reasons)" -ge 20
`

// elsewhere applies an example in a namespace and a project of that name.
func elsewhere(name, example string) string {
	return fmt.Sprintf("sed s/my-project/%s/ docs/examples/%s.yaml | kubectl -n %s apply -f -\n", name, example, name)
}

func bare(t *testing.T) *machine      { return newMachine(t) }
func cluster(t *testing.T) *machine   { return newMachine(t).withCluster() }
func databases(t *testing.T) *machine { return newMachine(t).withDatabases() }

// pageCases are in the order of the pages.
var pageCases = []pageCase{
	{
		name: "the README", page: readme, on: databases,
		wants: []string{"no object of aiven.io and no Secret is left", "nothing of them is left", "processes are gone", "Done in"},
		then:  "bin/demo --bin bin --root .\n",
	},
	{
		name: "install with Helm", page: "install.md", on: cluster,
		headings: []string{"In a registry", "Install with Helm", "Make a database"},
		wants:    []string{"STATUS: deployed", "2/2", "postgresql.aiven.io/my-pg condition met"},
		then:     `curl --silent --fail http://registry.example.com/v2/aero/manifests/dev > /dev/null`,
	},
	{
		name: "install without a registry", page: "install.md", headings: []string{"Without a registry"}, on: cluster,
		wants: []string{"STATUS: deployed"},
		then:  `kubectl -n aero-system get pods -o jsonpath='{.items[*].spec.containers[0].image}' | grep aero:dev`,
	},
	{
		name: "install without Helm", page: "install.md", headings: []string{"Install without Helm"}, on: cluster,
		wants: []string{`deployment "aero" successfully rolled out`},
		then:  `kubectl get crd postgresqls.aiven.io`,
	},
	{
		name: "install without a cluster", page: "install.md", headings: []string{"Without a cluster"}, on: bare,
		instead: []string{"127.0.0.1:18080", freeAddress},
		wants:   []string{"postgresql.aiven.io/my-pg condition met", "postgres://avnadmin:", `"my-pg" deleted`},
	},
	{
		name: "upgrade with Helm", page: "upgrade.md", headings: []string{"Upgrade with Helm", "Check, and go back"}, on: cluster,
		given: examples,
		wants: []string{"has been upgraded", "Rollback was a success", `deployment "aero" successfully rolled out`},
		then:  `kubectl wait --for=condition=Ready --timeout=1s postgresql/my-pg`,
	},
	{
		name: "upgrade without a registry", page: "upgrade.md", headings: []string{"Without a registry"}, on: cluster, given: installed,
		wants: []string{"has been upgraded"},
		then:  `kubectl -n aero-system get pods -o jsonpath='{.items[*].spec.containers[0].image}' | grep aero:next`,
	},
	{
		name: "upgrade without Helm", page: "upgrade.md", headings: []string{"Without Helm"}, on: cluster,
		given: `
mkdir my-aero
echo 'resources: [../config/default]' > my-aero/kustomization.yaml
kubectl apply --server-side -k my-aero
echo 'images: [{name: aero, newTag: next}]' >> my-aero/kustomization.yaml
`,
		wants: []string{`deployment "aero" successfully rolled out`, "deployment.apps/aero rolled back"},
		then: `
kubectl -n aero-system get replicasets -o jsonpath='{.items[*].spec.template.spec.containers[0].image}' | grep aero:next
kubectl -n aero-system get deployment/aero -o jsonpath='{.spec.template.spec.containers[0].image}' > image
if grep aero:next image; then exit 1; fi
`,
	},
	{
		name: "uninstall everything", page: "uninstall.md", headings: []string{"Everything, also at Aiven", "What is left"}, on: cluster,
		given: twins,
		wants: []string{
			`postgresql.aiven.io "my-pg" deleted`, `release "aero" uninstalled`, "resource policy", "postgresqls.aiven.io",
			`"valkeys.aiven.io" deleted`, `"keep-aiven-crds" deleted`, // an && that ends early doesn't end the script
		},
		then: `
curl --silent --fail "$AIVEN_WEB_URL/_local/resources" | tr '{' '\n' > resources
grep --quiet '"id":"my-production/my-pg"' resources
if grep '"id":' resources | grep --invert-match '"id":"my-production/'; then exit 1; fi
kubectl get crd,clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings,namespaces -o name > left
if grep -e aiven -e aero left; then exit 1; fi
`,
	},
	{
		name: "uninstall the CRDs too early", page: "uninstall.md", headings: []string{"Everything, also at Aiven"}, on: cluster,
		given: examples,
		instead: []string{
			"kubectl delete aiven --all --all-namespaces --timeout=10m &&\n  helm uninstall aero --namespace aero-system --wait\n", "",
		},
		then: `
kubectl get postgresql/my-pg crd/postgresqls.aiven.io -o jsonpath='{.items[*].metadata.deletionTimestamp}' > deleted
test ! -s deleted
helm status aero-crds --namespace aero-system > /dev/null
`,
	},
	{
		name: "uninstall the operator", page: "uninstall.md", headings: []string{"The operator alone"}, on: cluster,
		given: examples,
		then:  `kubectl wait --for=condition=Ready --timeout=1s postgresql/my-pg`,
	},
	{
		name: "uninstall the operator without Helm", page: "uninstall.md", headings: []string{"Without Helm"}, on: cluster,
		given: "kubectl apply --server-side -k config/default\n" + living,
		then: `
kubectl wait --for=condition=Ready --timeout=1s postgresql/my-pg
kubectl get validatingadmissionpolicy keep-aiven-crds
kubectl get clusterroles,validatingadmissionpolicies -o name > left
if grep aero left; then exit 1; fi
`,
	},
	{
		name: "uninstall and keep", page: "uninstall.md", headings: []string{"Objects gone, things at Aiven kept"}, on: cluster,
		given: strings.Replace(examples, "kubectl apply", "kubectl create namespace shop; "+elsewhere("shop", "postgresql")+"kubectl apply", 1),
		// The first part lets them go with an operator, the second one without.
		instead: []string{"\nkubectl -n shop patch postgresql", "\n" + `
helm uninstall aero --namespace aero-system --wait
kubectl -n shop create secret generic aiven-token --from-literal=token="$AIVEN_TOKEN"
kubectl -n shop patch secret aiven-token --type=json --patch='[{"op": "add", "path": "/metadata/finalizers", "value": ["finalizers.aiven.io/needed-to-delete-services"]}]'
kubectl -n shop delete secret aiven-token --wait=false
` + elsewhere("shop", "postgresql") + `
kubectl -n shop patch postgresql my-pg --type=json --patch='[{"op": "add", "path": "/metadata/finalizers", "value": ["finalizers.aiven.io/delete-remote-resource"]}]'
kubectl -n shop delete postgresql my-pg --wait=false
kubectl -n shop patch postgresql`},
		then: `kubectl -n shop wait --for=delete --timeout=10s postgresql/my-pg secret/aiven-token`,
	},
	{
		name: "multi-tenancy", page: "multi-tenancy.md", on: cluster,
		headings: []string{"One operator, a token for each namespace", "A namespace for its projects", "A token for a Namespace"},
		given:    "TOKEN_OF_TEAM_A=a-token\n" + installed,
		wants:    []string{"quota/databases created", "yes"},
		then: `
until { kubectl -n team-a create --dry-run=server -f docs/examples/postgresql.yaml 2>&1 || true; } | grep 'may not use project my-project'; do
  sleep 1
done
`,
	},
	{
		name: "an operator for a team", page: "multi-tenancy.md", on: cluster,
		headings: []string{"One operator for each team"},
		given: `
helm install aero-crds charts/aero-crds --namespace aero-system --create-namespace --wait > /dev/null
kubectl create namespace team-a
`,
		wants: []string{"STATUS: deployed", "It lacks", "yes"},
		then: `
kubectl -n team-a create secret generic aiven-token --from-literal=token="$AIVEN_TOKEN"
kubectl -n team-a apply -f docs/examples/postgresql.yaml
kubectl -n team-a wait --for=condition=Ready --timeout=1m postgresql/my-pg
`,
	},
	{
		name: "authentication", page: "authentication.md", on: cluster,
		wants: []string{"condition met", "secret/aero-token serverside-applied"},
		given: installed + "NEW_TOKEN=a-new-token\nkubectl apply -f docs/examples/postgresql.yaml\n",
		then:  `until kubectl -n aero-system logs deployment/aero | grep "Read another default token"; do sleep 1; done`,
	},
	{
		name: "operating", page: "operating.md", on: cluster,
		given: `
helm install aero-crds charts/aero-crds --namespace aero-system --create-namespace --wait > /dev/null
kubectl create namespace aiven-operator-system
kubectl apply -f - <<YAML
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: 40db2fac.aiven.io, namespace: aiven-operator-system}
spec: {holderIdentity: another-operator, leaseDurationSeconds: 3600, renewTime: "$(date -u +%FT%T.000000Z)"}
YAML
helm install aero charts/aero --namespace aero-system > /dev/null
until kubectl -n aero-system logs -l app.kubernetes.io/name=aero --prefix --tail=-1 2> /dev/null | grep "Not ready:"; do sleep 1; done
`,
		wants: []string{"Not ready:", "another-operator"},
	},
	{
		name: "run the image by its digest", page: "image.md", headings: []string{"Run it by digest"}, on: cluster,
		given:   "helm install aero-crds charts/aero-crds --namespace aero-system --create-namespace --wait\n",
		instead: []string{"sha256:...", "sha256:" + strings.Repeat("0", 64)},
		wants:   []string{"STATUS: deployed"},
		then:    "kubectl -n aero-system get pods -o yaml | grep aero@sha256:00000000",
	},
	{
		name: "try locally", page: "try-locally.md", on: bare,
		instead: []string{"127.0.0.1:18080", freeAddress},
		wants:   []string{"postgresql.aiven.io/my-pg condition met", `"id":"my-project/my-pg/orders"`, "serviceuser.aiven.io/orders-app condition met", `"plan":"startup-4"`},
	},
	{
		name: "getting started", page: "getting-started.md", on: databases,
		wants: []string{"orders-app", "PostgreSQL"},
	},
}

// guestCases need no cluster of their own: aero is installed, and what they leave outside of their namespaces disturbs no other case.
var guestCases = []pageCase{
	{
		name: "troubleshooting", page: "troubleshooting.md", given: living + reported,
		wants: []string{"InstanceIsRunning", "Aiven accepts the token", "Aiven responds", "holds the connection details"},
	},
	{
		name: "deletion", page: "deletion.md",
		given: living,
		instead: []string{
			"kubectl annotate postgresql my-pg", "kubectl apply -f docs/examples/postgresql.yaml; kubectl annotate postgresql my-pg",
			"kubectl -n old annotate", moving + "kubectl -n old annotate",
		},
		wants: []string{`"my-pg" deleted`, "annotated"},
		then: `kubectl -n new wait --for=condition=Ready --timeout=2m postgresql/my-moved-pg
if curl --silent "$AIVEN_WEB_URL/_local/journal" | tr '{' '\n' | grep '"method":"DELETE"' | grep /my-moved-pg; then exit 1; fi
`,
	},
	{
		name: "status", page: "status.md", given: living + reported,
		wants: []string{"condition met", "InstanceIsRunning", "annotated"},
	},
	{
		name: "policies", page: "policies.md", given: living, wants: []string{"annotated"},
	},
	{
		name: "connection Secrets", page: "connection-secrets.md",
		given: living, wants: []string{"orders-app", "secret/orders-app-password created", "namespace/my-namespace annotated"},
	},
	{
		name: "RBAC", page: "rbac.md", instead: []string{"-n shop", "-n my-namespace", "--namespace shop", "--namespace my-namespace"},
		wants: []string{"postgresqls.aiven.io/status", "no\n", "databases.aiven.io"},
	},
	{
		name: "monitoring", page: "monitoring.md",
		wants: []string{"prometheus-reads-aero created"},
		then: `
kubectl get --raw /metrics --as=system:serviceaccount:monitoring:prometheus > /dev/null
kubectl -n aero-system auth can-i list pods --as=system:serviceaccount:monitoring:prometheus
`,
	},
	{
		name: "runbooks", page: "runbooks/*.md",
		given: living + `
NEW_TOKEN=another-token
kubectl create namespace other
` + elsewhere("other", "postgresql") + elsewhere("other", "database") + `
kubectl annotate database orders controllers.aiven.io/management-policy=Observe
sed s/my-pg$/my-pg-2/ docs/examples/postgresql.yaml | kubectl apply -f -
until kubectl get aiven | grep ConnInfoSecretConflict; do sleep 1; done
until kubectl -n other get aiven | grep AuthFailed; do sleep 1; done
`,
		instead: []string{
			"secret <name>", "secret my-pg-admin", "<kind>", "postgresql", "<name>", "my-pg", "<namespace>", "my-namespace", "<key>", "token",
			// What no calm cluster has in its log.
			`grep "services of"`, `{ grep "services of" || true; }`,
			`grep '"level":"error"'`, `{ grep '"level":"error"' || true; }`,
			"grep RemoteMissing", "{ grep RemoteMissing || true; }", "grep RemoteResourceMissing", "{ grep RemoteResourceMissing || true; }",
			"grep DeletionBlocked", "{ grep DeletionBlocked || true; }",
			`grep "Working without a namespace"`, `{ grep "Working without a namespace" || true; }`,
		},
		wants: []string{"AuthFailed", "ConnInfoSecretConflict", "holderIdentity"},
	},
}

func TestPages(t *testing.T) {
	t.Parallel()
	atOnce(t, 2, pageCases, func(t *testing.T, s pageCase) { s.typedAt(s.on(t)) })
}

// allCases are those of all pages.
func allCases() []pageCase { return slices.Concat(pageCases, guestCases, queryCases, reasonCases) }
