package docs

// What a turn of two users is typed between: an application, which logs in with the Secret of both, and the Job that makes what they work as.
const (
	// madeBefore is what a user has made before it works as the owner.
	madeBefore = `
value() { kubectl get secret "$1" -o jsonpath="{.data.$2}" | base64 -d; }
app() {
  PGHOST=$(value orders PGHOST) PGPORT=$(value orders PGPORT) PGDATABASE=$(value orders PGDATABASE) PGSSLMODE=$(value orders PGSSLMODE) \
    PGUSER=$(value orders PGUSER) PGPASSWORD=$(value orders PGPASSWORD) psql --no-psqlrc --set=ON_ERROR_STOP=1 "$@"
}
app --command='create table before_the_job (id serial primary key)'
`
	// madeOwner runs the command of the Job, with the variables and the files that a kubelet gives it, and again: the SQL may run at any time.
	madeOwner = `
kubectl get job orders-owner -o go-template='{{range (index .spec.template.spec.containers 0).command}}{{.}}{{"\n"}}{{end}}' > command-of-job
kubectl get job orders-owner -o go-template='{{range (index .spec.template.spec.containers 0).env}}{{.name}}={{.value}}{{"\n"}}{{end}}' > variables-of-job
of_job() { kubectl get job orders-owner -o jsonpath="{.spec.template.spec$1}"; }
FILES=$(of_job '.volumes[?(@.name=="sql")].configMap.name') CA=$(of_job '.volumes[?(@.name=="ca")].secret.secretName')
kubectl get configmap "$FILES" -o jsonpath='{.data.owner\.sql}' > owner.sql
value "$CA" "$(of_job '.volumes[?(@.name=="ca")].secret.items[0].key')" > ca.pem
job() (
  for NAME in PGHOST PGPORT PGUSER PGPASSWORD; do export "$NAME=$(value "$(of_job '.containers[0].envFrom[0].secretRef.name')" "$NAME")"; done
  while read -r variable; do export "${variable/\/ca\//}"; done < variables-of-job
  mapfile -t run < command-of-job
  "${run[@]/\/sql\//}"
)
job
job
`
	// inTurn is what the other user does with the tables, after its turn has come.
	inTurn = `
test "$(value orders PGUSER)" = orders-app-2
for table in before_the_job before_the_turn; do
  app --command="alter table $table add column note text" --command="insert into $table (note) values ('after the turn')"
done
app --tuples-only --command="select 'tables of ' || string_agg(distinct tableowner, ', ') || ': ' || count(*) from pg_tables where schemaname = 'public'"
`
)
