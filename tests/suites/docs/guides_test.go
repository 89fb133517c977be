package docs

const (
	// at calls Aiven as its console does.
	at = `
at() { curl --silent --fail --output /dev/null --header "Authorization: aivenv1 $AIVEN_TOKEN" "$@"; }
`
	token = `
kubectl create secret generic aiven-token --from-literal=token="$AIVEN_TOKEN"
`
	// grants are served from then on.
	grants = `
kubectl apply -f tests/harness/controlplane/crds
kubectl wait --for=condition=Established --timeout=1m crd/referencegrants.gateway.networking.k8s.io
`
	service = token + `
kubectl apply -f docs/examples/postgresql.yaml
kubectl wait --for=condition=Ready --timeout=2m postgresql/my-pg
`
)

// unchanging waits until the Deployment has its last status: a patch beside a change of that isn't reported as none.
const unchanging = `
until VERSION=$(kubectl get deployment shop -o jsonpath='{.metadata.resourceVersion}') && sleep 1 &&
  test "$VERSION" = "$(kubectl get deployment shop -o jsonpath='{.metadata.resourceVersion}')"; do true; done
`

// connects does what a kubelet does with the variables of the Deployment, and what its application does with them: then once more
// with the former password.
const connects = `
kubectl get deployment shop -o go-template='{{range (index .spec.template.spec.containers 0).env}}{{.name}} {{with .valueFrom
  }}{{.secretKeyRef.name}} {{.secretKeyRef.key}}{{else}}- {{.value}}{{end}}{{"\n"}}{{end}}' > variables
while read -r name secret value; do
  if test "$secret" != -; then value=$(kubectl get secret "$secret" -o jsonpath="{.data.$value}" | base64 -d); fi
  export "$name=$value"
done < variables
test "$PGSSLROOTCERT" = /etc/aiven/ca.pem
kubectl get secret orders-app -o jsonpath='{.data.ORDERS_CA_CERT}' | base64 -d > ca.pem
export PGSSLROOTCERT=ca.pem
psql --no-psqlrc --tuples-only --command="select 'connected to ' || current_database()"
kubectl create secret generic orders-app-password --from-literal=password="$(openssl rand -hex 24)"
kubectl patch serviceuser orders-app --type=merge --patch='{"spec": {"connInfoSecretSource": {"name": "orders-app-password", "passwordKey": "password"}}}'
kubectl wait --for=condition=Ready --timeout=1m serviceuser/orders-app
if psql --no-psqlrc --command='select 1'; then exit 1; fi
`

// elsewhereData is a server with data, as which another service passes, and the variables of a reader whose password is a wrong one.
const elsewhereData = `
sed 's/name: my-pg/name: old-pg/; s/project: .*/project: of-another-company/' docs/examples/postgresql.yaml | kubectl apply -f -
kubectl wait --for=condition=Ready --timeout=2m postgresql/old-pg
old() { kubectl get secret old-pg-admin -o jsonpath="{.data.$1}" | base64 -d; }
OLD_HOST=$(old PGHOST) OLD_PORT=$(old PGPORT) OLD_USER=$(old PGUSER) OLD_PASSWORD=of-another-database
sql() { PGPASSWORD=$(old PGPASSWORD) psql --no-psqlrc --set=ON_ERROR_STOP=1 --host="$OLD_HOST" --port="$OLD_PORT" --username="$OLD_USER" "$@"; }
sql --dbname=postgres --command='create database orders' --command='create database legacy'
sql --dbname=orders --command='create table orders (id serial primary key, item text)' \
  --command="insert into orders (item) values ('first'), ('second'), ('third')"
sql --dbname=legacy --command='create table customers as select generate_series(1, 2) as id' \
  --command='create table suppliers as select generate_series(1, 5) as id'
`

// migrated runs what the Job runs, with the environment that a kubelet gives it, and reads what is left of the migration.
const migrated = `
copies=$(kubectl get job copy-suppliers -o jsonpath='{.spec.template.spec.containers[0].args[0]}')
of_old() { kubectl get secret old-database -o jsonpath="{.data.$1}" | base64 -d; }
OLD_host=$(of_old host) OLD_port=$(of_old port) OLD_username=$(of_old username) OLD_password=$(of_old password) \
  at_new bash -euo pipefail -c "$copies"
at_new psql --no-psqlrc --dbname=orders --tuples-only --command="select count(*) || ' suppliers' from suppliers"
at_new psql --no-psqlrc --dbname=postgres --tuples-only --command="select 'ignored: ' || count(*) from pg_database where datname = 'legacy'"
kubectl wait --for=condition=Ready --timeout=1m postgresql/my-pg
test "$(kubectl get postgresql my-pg -o jsonpath='{.status.drift}{.status.conditions[?(@.type=="MigrationComplete")].status}')" = True
test "$(curl --silent --output /dev/null --write-out '%{http_code}' --header "Authorization: aivenv1 $AIVEN_TOKEN" \
  "$AIVEN_WEB_URL/v1/project/my-project/service/my-pg/migration")" = 404
`

// queryCases are those that may query PostgreSQL: the page of the plugin, which connects to it, and the guides in their order.
var queryCases = []pageCase{
	{
		name: "kubectl aero", page: "kubectl-aero.md",
		given: living + `
sed s/my-pg$/my-pg-2/ docs/examples/postgresql.yaml | kubectl apply -f -
until kubectl get aiven | grep ConnInfoSecretConflict; do sleep 1; done
mkdir certificates
export TMPDIR=$PWD/certificates
`,
		wants: []string{
			"PostgreSQL/my-pg-2 is not ready: ConnInfoSecretConflict", "PostgreSQL/my-pg is ready: ReconciliationSucceeded", `"reason": "ConnInfoSecretConflict"`,
			"├─ Secret/my-pg-admin", "└─ ServiceUser/orders-app", "postgresql.aiven.io/my-pg Ready=True ReconciliationSucceeded",
			"database.aiven.io/orders paused", "serviceuser.aiven.io/orders-app resumed", "?column?", " orders-app   | orders", "PGSSLROOTCERT",
		},
		then: `
kubectl __complete aero why avnp | grep avnpg
test -z "$(ls "$TMPDIR")"
`,
	},
	{name: "use a Secret", page: "guides/use-a-secret.md", given: living, then: connects,
		instead: []string{"}'\nkubectl patch deployment shop", "}'\n" + unchanging + "kubectl patch deployment shop"},
		wants:   []string{"connected to orders", `password authentication failed for user "orders-app"`}},
	{
		name: "rotate a password", page: "guides/rotate-a-password.md",
		given: living + at + `
kubectl apply -f docs/examples/clickhouse.yaml -f docs/examples/clickhouseuser.yaml -f docs/examples/kafka.yaml
kubectl wait --for=condition=Ready --timeout=2m clickhouse/my-clickhouse clickhouseuser/my-user kafka/my-kafka
`,
		instead: []string{
			"kubectl create configmap orders-owner", madeBefore + "kubectl create configmap orders-owner",
			"kubectl aero connect database orders --service-user orders-app", madeOwner + "kubectl aero connect database orders --service-user orders-app",
			"kubectl annotate --overwrite serviceuserrotation orders", "app --command='create table before_the_turn (id serial primary key)'\n" +
				"kubectl annotate --overwrite serviceuserrotation orders",
			"kubectl delete serviceuserrotation orders", inTurn + "kubectl delete serviceuserrotation orders",
		},
		wants: []string{"tables of orders_owner: 2", "Rotated", "subject=", "notAfter="},
		then: `
secret() { kubectl get secret "$1" -o jsonpath="{.data.$2}" | base64 -d; }
test "$(secret my-pg-admin PGPASSWORD)" = "$(secret my-pg-admin-password password)"
test "$(secret my-user-connection PASSWORD)" = "$(secret my-user-password password)"
psql "$(secret my-pg-admin DATABASE_URI)" --no-psqlrc --command='select 1'
# What is reset at Aiven is published, too. Right after aero's own write, another password counts as that of a read that lags behind it.
BEFORE=$(secret orders-app-2 ORDERS_PASSWORD)
at --request PUT --data '{"operation": "reset-credentials"}' "$AIVEN_WEB_URL/v1/project/my-project/service/my-pg/user/orders-app-2"
for ATTEMPT in $(seq 60); do
	kubectl annotate --overwrite serviceuser orders-app-2 controllers.aiven.io/reconcile-requested-at="$ATTEMPT"
	kubectl wait --for=jsonpath='{.status.lastHandledReconcileAt}'="$ATTEMPT" --timeout=1m serviceuser/orders-app-2
	test "$(secret orders-app-2 ORDERS_PASSWORD)" = "$BEFORE" || break
	sleep 1
done
test "$(secret orders-app-2 ORDERS_PASSWORD)" != "$BEFORE"
`,
	},
	{
		name: "notices", page: "guides/see-what-aiven-announces.md",
		given: service + `
kubectl apply -f docs/examples/kafka.yaml
kubectl wait --for=condition=Ready --timeout=2m kafka/my-kafka
console() { curl --silent --fail --output /dev/null --request PATCH --data "$2" "$AIVEN_WEB_URL/_local/project/my-project/service/$1"; }
day() { date --utc --date="$1 days" +%Y-%m-%dT00:00:00Z; }
console my-kafka '{"users": [{"username": "avnadmin", "certificate": {"until": "'"$(day 800)"'", "previous_until": "'"$(day 80)"'"}}]}'
console my-pg '{
  "maintenance_updates": [{"description": "Update of the operating system", "impact": "none", "deadline": "2027-02-01"}],
  "service_notifications": [{"type": "service_end_of_life", "level": "warning", "message": "m",
    "metadata": {"service_end_of_life_time": "'"$(day 90)"'", "upgrade_to_version": "18"}}],
  "backups": ["'"$(day -2)"'", "'"$(day -1)"'"]}'
kubectl annotate kafka/my-kafka postgresql/my-pg controllers.aiven.io/reconcile-requested-at=now
kubectl wait --for=jsonpath='{.status.credentials.expiringCertificateNotAfter}'="$(day 80)" --timeout=1m kafka/my-kafka
kubectl wait --for=jsonpath='{.status.endOfLife.time}'="$(day 90)" --timeout=1m postgresql/my-pg
`,
		wants: []string{", then 18", "2 backups"},
		then: `
test "$(kubectl get kafka my-kafka -o jsonpath='{.status.credentials.certificateNotAfter}')" = "$(day 800)"
test "$(kubectl get postgresql my-pg -o jsonpath='{.status.backups.latest}')" = "$(day -1)"
test -z "$(kubectl get postgresql my-pg -o jsonpath='{.status.removalTime}')"
`,
	},
	{
		name: "import", page: "guides/import.md",
		given: token + at + `
at --data '{"service_name": "my-pg", "service_type": "pg", "plan": "startup-8", "cloud": "google-europe-west1", "tags": {"team": "orders"}}' \
  "$AIVEN_WEB_URL/v1/project/my-project/service"
until curl --silent --header "Authorization: aivenv1 $AIVEN_TOKEN" "$AIVEN_WEB_URL/v1/project/my-project/service/my-pg" | grep --quiet '"state":"RUNNING"'; do
  sleep 0.2
done
at --data '{"database": "orders"}' "$AIVEN_WEB_URL/v1/project/my-project/service/my-pg/db"
at --data '{"username": "orders-app"}' "$AIVEN_WEB_URL/v1/project/my-project/service/my-pg/user"
`,
		// Before the step that corrects, the writes of the project are the three above.
		instead: []string{"kubectl annotate postgresql/my-pg database/orders serviceuser/orders-app controllers.aiven.io/drift-policy-", `
calls() { curl --silent "$AIVEN_WEB_URL/_local/journal" | tr '{' '\n' | grep '"path":"/v1/project/my-project/'; }
test "$(calls | grep --count --invert-match '"method":"GET"')" = 3
kubectl annotate postgresql/my-pg database/orders serviceuser/orders-app controllers.aiven.io/drift-policy-`},
		then: `psql "$(kubectl get secret my-pg-admin -o jsonpath='{.data.DATABASE_URI}' | base64 -d)" --no-psqlrc --command='select 1'`,
	},
	{
		name: "import a project", page: "guides/import-a-project.md",
		given: token + at + `
at --data '{"service_name": "my-pg", "service_type": "pg", "plan": "startup-8", "cloud": "google-europe-west1", "tags": {"team": "orders"}}' \
  "$AIVEN_WEB_URL/v1/project/my-project/service"
until curl --silent --header "Authorization: aivenv1 $AIVEN_TOKEN" "$AIVEN_WEB_URL/v1/project/my-project/service/my-pg" | grep --quiet '"state":"RUNNING"'; do
  sleep 0.2
done
at --data '{"database": "orders"}' "$AIVEN_WEB_URL/v1/project/my-project/service/my-pg/db"
at --data '{"username": "orders-app"}' "$AIVEN_WEB_URL/v1/project/my-project/service/my-pg/user"
`,
		// In none of the steps aero has written: the writes of the project are the three above.
		then: `
calls() { curl --silent "$AIVEN_WEB_URL/_local/journal" | tr '{' '\n' | grep '"path":"/v1/project/my-project/'; }
test "$(calls | grep --count --invert-match '"method":"GET"')" = 3
test "$(kubectl get postgresql,database,serviceuser -o name | wc -l)" = 3`,
	},
	{
		name: "upgrade a version", page: "guides/upgrade-a-version.md",
		given: token + at + `
sed 's/pg_version: "17"/pg_version: "15"/' docs/examples/postgresql.yaml | kubectl apply -f -
at --data '{"service_name": "my-pg", "service_type": "pg", "plan": "startup-4"}' "$AIVEN_WEB_URL/v1/project/my-production/service"
kubectl wait --for=condition=Ready --timeout=2m postgresql/my-pg
`,
		// Between the commands of the page, a check fails and what it found is mended, and Aiven upgrades by itself.
		instead: []string{
			`kubectl get postgresql my-pg -o jsonpath='{.status.conditions[?(@.type=="Ready")]`, `
console() { curl --silent --fail --output /dev/null --request PATCH --data "$1" "$AIVEN_WEB_URL/_local/project/my-project/service/my-pg"; }
console '{"upgrade_check": "The extension timescaledb is missing in version 17"}'
kubectl patch postgresql my-pg --type=merge --patch='{"spec": {"userConfig": {"pg_version": "17"}}}'
kubectl wait --for=jsonpath='{.status.conditions[?(@.type=="Ready")].reason}'=InvalidSpec --timeout=1m postgresql/my-pg
kubectl get postgresql my-pg -o jsonpath='{.status.conditions[?(@.type=="Ready")]`,
			"kubectl annotate --overwrite postgresql my-pg", `console '{"upgrade_check": ""}'
kubectl annotate --overwrite postgresql my-pg`,
			`kubectl get postgresql my-pg -o jsonpath='{.status.conditions[?(@.type=="Drifted")]`, `
at --request PUT --data '{"user_config": {"pg_version": "18"}}' "$AIVEN_WEB_URL/v1/project/my-project/service/my-pg"
kubectl annotate --overwrite postgresql my-pg controllers.aiven.io/reconcile-requested-at=now
kubectl wait --for=condition=Drifted --timeout=2m postgresql/my-pg
kubectl get postgresql my-pg -o jsonpath='{.status.conditions[?(@.type=="Drifted")]`,
		},
		wants: []string{"drift: \n"},
	},
	{
		name: "scale, move, power", page: "guides/scale-move-power.md",
		given: service + `
kubectl apply -f docs/examples/kafka.yaml
kubectl wait --for=condition=Ready --timeout=2m kafka/my-kafka
`,
	},
	{name: "preview a change", page: "guides/preview-a-change.md", given: service},
	{
		name: "approve a change", page: "guides/approve-a-change.md", given: service,
		then: `test "$(kubectl get postgresql my-pg -o jsonpath='{.status.pendingChanges}')" = ""
`,
	},
	{
		name: "a Secret as the application reads it", page: "guides/secret-for-an-application.md",
		given: living + `
kubectl apply -f docs/examples/kafka.yaml
kubectl wait --for=condition=Ready --timeout=2m kafka/my-kafka
`,
	},
	{name: "private network", page: "guides/private-network.md", given: service},
	{
		name: "backups", page: "guides/backups.md", given: living,
		then: `test "$(kubectl get postgresql my-pg-fork -o jsonpath='{.status.drift}')" = ""
`,
	},
	{
		name: "migrate data", page: "guides/migrate-data.md", given: living + at + elsewhereData, then: migrated,
		instead: []string{
			"default namespace", "migrate-data namespace",
			"kubectl wait --for=condition=MigrationComplete", `
kubectl wait --for=jsonpath='{.status.conditions[?(@.type=="MigrationComplete")].reason}'=MigrationFailed --timeout=1m postgresql/my-pg
kubectl get postgresql my-pg -o jsonpath='{.status.conditions[?(@.type=="MigrationComplete")].message}{"\n"}{.status.conditions[?(@.type=="Ready")].status}{"\n"}'
OLD_PASSWORD=$(old PGPASSWORD)
old_database | kubectl replace -f -
kubectl wait --for=condition=MigrationComplete`,
			"avn service update my-pg --project my-project --remove-option migration",
			`at --request PUT --data '{"user_config": {"migration": null}}' "$AIVEN_WEB_URL/v1/project/my-project/service/my-pg"`,
		},
		wants: []string{"FATAL: password authentication failed", "5 suppliers", "ignored: 0"},
	},
	{name: "grants", page: "guides/grants.md", given: living},
	{name: "a token with few permissions", page: "guides/least-privilege-token.md", given: "TOKEN_OF_TEAM_B=a-token-of-team-b\n"},
	{
		name: "delete safely", page: "guides/delete-safely.md",
		given: living + `
for name in my-other-pg my-third-pg; do sed "s/my-pg/$name/" docs/examples/postgresql.yaml | kubectl apply -f -; done
sed 's/my-pg/my-third-pg/; s/name: orders/name: third/' docs/examples/database.yaml | kubectl apply -f -
kubectl patch database third --type=merge --patch='{"spec": {"terminationProtection": true}}'
kubectl wait --for=condition=Ready --timeout=2m postgresql/my-other-pg postgresql/my-third-pg database/third
kubectl delete --wait=false postgresql my-third-pg
kubectl wait --for=jsonpath='{.status.conditions[?(@.type=="Ready")].reason}'=DeletionBlocked --timeout=1m postgresql/my-third-pg
`,
		instead: []string{"default namespace", "delete-safely namespace"},
		wants:   []string{"├─ Database/orders ", "└─ ServiceUser/orders-app ", "DeletionBlocked: "},
		then: `
services=$(curl --silent --header "Authorization: aivenv1 $AIVEN_TOKEN" "$AIVEN_WEB_URL/v1/project/my-project/service" | grep -o '"service_name":"[^"]*"' | sort --unique)
test "$(echo $services)" = '"service_name":"my-other-pg" "service_name":"my-third-pg"'
`,
	},
}
