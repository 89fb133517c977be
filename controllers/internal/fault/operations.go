package fault

import (
	"net/http"
	"regexp"
)

// operationRule is what an operation of Aiven answers where its status means something else than elsewhere.
type operationRule struct {
	operations *regexp.Regexp // names of operations
	status     int            // 0: any 5xx
	phrase     *regexp.Regexp // in the text; nil: any
	class      Class
}

// firstCode begins the code of ClickHouse. What comes after it quotes names of users, which may look like another one.
const firstCode = `^(?:[^C]|C[^o]|Co[^d]|Cod[^e]|Code[^:])*Code: `

// ofClickHouse are the operations that end in a statement of ClickHouse.
var ofClickHouse = names(`ServiceClickHouse(Query|(Database|User)(Create|Delete)|PasswordReset)`)

// operationRules is read from the top, and the first match wins.
var operationRules = []operationRule{
	// ClickHouse answers every error of a query with 400, and its own number.
	{names(`ServiceClickHouseQuery`), http.StatusBadRequest, words(firstCode + `497\b`), Rejected}, // not enough privileges
	// A role that is there already. Its name is quoted behind the code.
	{names(`ServiceClickHouseQuery`), http.StatusBadRequest, words(firstCode + `493\b`), Exists},
	// A role or user (511, 192) or database (81) that isn't there: GRANT waits for it, REVOKE and DROP are done.
	{names(`ServiceClickHouseQuery`), http.StatusBadRequest, words(firstCode + `(511|192|81)\b`), NotFound},
	// Errors on the way between its nodes: timeouts (159, 209), network (210, 279), a query that was ended (236, 319, 341, 394),
	// its Keeper and what it can't name (999, 1001, 1002). The statement may have been made.
	{ofClickHouse, http.StatusBadRequest, words(firstCode + `(159|209|210|236|279|319|341|394|999|1001|1002)\b`), NotReady},

	// An incompatible schema stays incompatible.
	{names(`ServiceSchemaRegistrySubjectVersionPost`), http.StatusConflict, nil, Rejected},
	// Another schema refers to the subject, and has to go first.
	{names(`ServiceSchemaRegistrySubject(Version)?Delete`), http.StatusUnprocessableEntity, words(`\b42206\b|\breference`), Conflict},

	{names(`ServiceIntegration(Endpoint)?Update`), http.StatusBadRequest, words(`\buser config not changed\b`), NoChange},
	// Right after its creation, an integration isn't known everywhere.
	{names(`ServiceIntegrationUpdate`), http.StatusNotFound, nil, NotReady},

	// Workers of Kafka Connect that restart answer as if the service were gone.
	{names(`ServiceKafkaConnect\w+`), http.StatusNotFound, words(`\bservice\b.*\bdoes not exist\b`), NotReady},

	// A project that still costs money.
	{names(`ProjectDelete|OrganizationProjectsDelete`), http.StatusForbidden, words(`\bopen balance\b`), Conflict},

	// A limit of a quota that is out of bounds is a 400. What is denied is about the quota of the project.
	{names(`ServiceKafkaQuotaCreate`), http.StatusForbidden, exhaustedPhrases["quota"], Exhausted},

	{names(`ServiceUpdate|ServiceDelete`), http.StatusForbidden, words(`\bprotected against termination\b`), Protected},

	// A service is RUNNING before its parts are, so calls of them fail for a while.
	{ofClickHouse, 0, nil, NotReady},
	{names(`ServiceSchemaRegistry\w+(Post|Put|Delete|Add)`), 0, nil, NotReady},
	{names(`ServiceKafkaConnect(Create|Edit|Delete)Connector`), 0, nil, NotReady},
	{names(`Project(Create|Update|Delete)|OrganizationProjects(Create|Update|Delete)`), 0, nil, NotReady},
}

// quoting are the operations whose answers quote what the user wrote: SQL, schemas and configurations of connectors. A
// word about quotas or limits in them means nothing.
var quoting = names(`ServiceClickHouseQuery|ServiceSchemaRegistry(SubjectVersionPost|Compatibility)|` +
	`ServiceKafkaConnect(Create|Edit)Connector`)

func names(pattern string) *regexp.Regexp { return regexp.MustCompile(`^(` + pattern + `)$`) }
func words(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?is)` + pattern) }

// ofOperation returns the class of a response if its operation has a rule for it.
func ofOperation(operation string, status int, text string) (Class, bool) {
	for _, r := range operationRules {
		sameStatus := r.status == status || r.status == 0 && status >= http.StatusInternalServerError
		if sameStatus && r.operations.MatchString(operation) && (r.phrase == nil || r.phrase.MatchString(text)) {
			return r.class, true
		}
	}
	return "", false
}
