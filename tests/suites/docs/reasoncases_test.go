package docs

// ofReason is a case in which a reason is provoked, and its page is typed then. Some of what is on a page is typed in another form.
func ofReason(name, given string, instead ...string) pageCase {
	return pageCase{name: name, page: "reasons/" + name + ".md", given: given, instead: instead}
}

// A service, and what lives in it.
const (
	livingService = "example postgresql; ready postgresql/my-pg\n"
	withDatabase  = "example postgresql database; ready postgresql/my-pg database/orders\n"
)

// reasonCases have a page each, which mends what was provoked, if it can be mended.
var reasonCases = []pageCase{
	ofReason("ReconciliationSucceeded", "example postgresql"),
	ofReason("PoweredOffAsRequested", livingService+`kubectl patch postgresql my-pg --type=merge --patch='{"spec": {"powered": false}}'`),
	ofReason("InvalidSpec", `variant postgresql --expression=s/startup-4/startup-400/`),
	ofReason("ReferenceNotFound", livingService+
		`variant serviceuser --expression='/serviceName/a\  connInfoSecretSource: {name: orders-app-password, passwordKey: password}'`),
	ofReason("AuthFailed", livingService+`answers "" 401 '{"message": "Invalid token"}'; reconcile postgresql my-pg`,
		"kubectl create secret", "recovers; NEW_TOKEN=a-new-token\nkubectl create secret"),
	ofReason("ResourceExhausted", livingService+
		`answers ServiceDatabaseCreate 403 '{"message": "Maximum number of databases for this plan reached"}'; example database`,
		"kubectl annotate", "recovers\nkubectl annotate"),
	ofReason("AlreadyExists", `
console service --data '{"service_name": "my-pg", "service_type": "pg", "plan": "startup-4", "cloud": "google-europe-west1"}'
until console service/my-pg | grep '"state":"RUNNING"'; do sleep 0.2; done
example postgresql
`),
	ofReason("NothingToAdopt", livingService+`
variant database --expression='/^metadata:/a\  annotations: {controllers.aiven.io/adoption-policy: Adopt, controllers.aiven.io/deletion-policy: Orphan}'
`),
	ofReason("RemoteMissing", withDatabase+`console service/my-pg/db/orders --request DELETE; reconcile database orders`),
	ofReason("ConnInfoSecretConflict", `kubectl create secret generic my-pg-admin --from-literal=key=value; example postgresql`),
	ofReason("RouteNotAvailable", livingService+`kubectl annotate postgresql my-pg controllers.aiven.io/connection-route=public`),
	ofReason("InvalidTemplate", withDatabase+
		`example serviceuser; variant aero-operator.io/connectionsecret --expression='s/{{ .URI }}/{{ .Uri }}/'`),
	ofReason("ReferenceNotPermitted", withDatabase+
		`example serviceuser; variant aero-operator.io/connectionsecret --expression='/name: orders-app/a\    namespace: team-data'
until kubectl get connectionsecret checkout -o jsonpath='{.status.conditions[0].message}' | grep --quiet "The cluster doesn't serve ReferenceGrants"; do sleep 1; done
`+grants),
	ofReason("Conflict", withDatabase+
		`variant database --expression='s/name: orders$/name: orders-2/; /serviceName/a\  databaseName: orders'`),
	ofReason("ConfirmationRequired", `
example kafka; ready kafka/my-kafka
kubectl patch kafka my-kafka --type=merge --patch='{"spec": {"powered": false}}'
`, "kubectl annotate", `kubectl patch kafka my-kafka --type=merge --patch='{"spec": {"powered": false}}'`+"\nkubectl annotate"),
	ofReason("ProjectNotAllowed", `
kubectl annotate namespace my-namespace controllers.aiven.io/allowed-projects=shared
example postgresql
`),
	ofReason("Progressing", "example database"),
	ofReason("ProgressingWithRetry", livingService+
		`answers ServiceDatabaseCreate 503 '{"message": "Down for maintenance"}'; example database`,
		"kubectl annotate", "recovers\nkubectl annotate"),
	ofReason("ServicePoweredOff", withDatabase+`kubectl patch postgresql my-pg --type=merge --patch='{"spec": {"powered": false}}'`),
	ofReason("AwaitingApproval", livingService+`
kubectl annotate postgresql my-pg controllers.aiven.io/change-policy=HoldDisruptive
kubectl patch postgresql my-pg --type=merge --patch='{"spec": {"plan": "business-8"}}'
`),
	ofReason("Paused", `variant postgresql --expression='/^metadata:/a\  annotations: {controllers.aiven.io/paused: "true"}'`),
	ofReason("Deleting", `
example projectvpc; ready projectvpc/my-vpc
answers VpcDelete 200 '{"project_vpc_id": "my-vpc", "state": "DELETING"}'; kubectl delete projectvpc my-vpc --wait=false
`, "kubectl wait", "recovers\nkubectl wait"),
	ofReason("DeletionBlocked", livingService+`
variant database --expression='/serviceName/a\  terminationProtection: true'; ready database/orders
kubectl delete postgresql my-pg --wait=false
`),
	ofReason("TerminationProtected", livingService+`
console service/my-pg --request PUT --data '{"termination_protection": true}'
kubectl delete postgresql my-pg --wait=false
`),
	ofReason("InvalidDeletionPolicy", ""), // the object is older than the operator
	ofReason("DriftDetected", livingService+`
kubectl annotate postgresql my-pg controllers.aiven.io/drift-policy=Report
console service/my-pg --request PUT --data '{"plan": "startup-8"}'; reconcile postgresql my-pg
`),
	ofReason("DriftNotConverging", livingService+`
answers ServiceUpdate 200 "$(console service/my-pg)"
kubectl patch postgresql my-pg --type=merge --patch='{"spec": {"userConfig": {"pg": {"idle_in_transaction_session_timeout": 600000}}}}'
`),
	ofReason("RemoteResourceMissing", `
example postgresql serviceuser; ready postgresql/my-pg serviceuser/orders-app
console service/my-pg/user/orders-app --request DELETE; reconcile serviceuser orders-app
`),
	ofReason("ConnectionDetailsOverwritten", `
example clickhouse clickhouseuser; ready clickhouse/my-clickhouse clickhouseuser/my-user
kubectl patch secret my-user-connection --patch='{"stringData": {"PASSWORD": "another", "CLICKHOUSEUSER_PASSWORD": "another"}}'
`),
	ofReason("UnableToGetAuthSecret", "kubectl delete secret aiven-token; example postgresql"),
	{
		name: "UnableToDeleteMigrationSecret", page: "reasons/UnableToDeleteMigrationSecret.md",
		given: `
kubectl create secret generic old-database --from-literal=host=old.example.com --from-literal=port=5432 --from-literal=password=a-password
variant postgresql --expression='/^spec:/a\  migrationSecretSource: {name: old-database, deleteAfterMigration: true}'
`,
		then: "while kubectl get postgresql my-pg --output yaml | grep 'was not deleted'; do sleep 1; done",
	},
	{
		name: "RotationBlocked", page: "reasons/RotationBlocked.md",
		given: livingService + `
kubectl create secret generic orders-app-password --from-literal=password=a-good-password
variant serviceuser --expression='/^spec:/a\  connInfoSecretSource: {name: orders-app-password, passwordKey: password}'
kubectl wait --for=condition=Ready --timeout=1m serviceuser/orders-app
kubectl annotate serviceuser orders-app controllers.aiven.io/rotate-requested-at=now
`,
		then: "while kubectl get serviceuser orders-app --output yaml | grep 'type: RotationBlocked'; do sleep 1; done",
	},
}
