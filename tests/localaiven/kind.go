package localaiven

import (
	"slices"
	"strconv"
	"strings"
	"time"

	client "github.com/aiven/go-client-codegen/handler/service"

	"github.com/aero-operator/aero/tests/localaiven/userconfig"
)

// kind is what differs between the types of services: data, and what can't be data. A nil function does nothing.
type kind struct {
	name        string // Aiven's service_type
	description string
	families    families // of plans
	versionKey  string   // the key of user_config with the version; empty where there is none to choose
	version     string   // what Aiven picks today, as far as a simulation can know
	database    string   // the logical database that a new service comes with; empty for a type that has none
	locale      string   // of databases, where the request sets none; empty where databases have no locale
	dump        string   // how a migration copies if it doesn't replicate
	// reserved are names, of users as of databases, that belong to the server.
	reserved []string
	// logins are the ways to prove who one is that a request can choose for a user, the usual one first.
	logins []string
	// noBackups is set where services have none.
	noBackups bool
	// fixedDisk is set where services have the disk of their plan and no other.
	fixedDisk bool
	primary   string // the role of the first node; empty where nodes are equal
	certified bool   // whether users show certificates
	// replicated is set where a read replica has the users and databases of its source.
	replicated bool
	// forked is set where a fork has the users, the databases and the data of its source.
	forked bool
	// linked is set where the engine listens on the address of PrivateLink, too.
	linked bool
	// upgradesDown is set where a service doesn't serve while it gets another version.
	upgradesDown bool
	// ports are the names of endpoints that an engine gives, and extras those that are not served: see service.endpoints.
	ports, extras []string
	// access is the access control of a new user, given user_config; its keys are those that can be set. checkAccess
	// refuses values.
	access      func(config map[string]any, primary bool) map[string]any
	checkAccess func(in *client.AccessControlIn) *apiError
	// prepare adds what a new service comes with, besides its first user and its database.
	prepare func(*Server, *service)
	// connect fills in how to connect to a service that is up, and show what else its answer has. The caller holds mu.
	connect func(svc *service, b *serviceBody, secrets bool)
	show    func(svc *service, b *serviceBody, now time.Time)
}

const (
	kindPostgreSQL = "pg"
	kindKafka      = "kafka"
	kindOpenSearch = "opensearch"
	kindGrafana    = "grafana"
	kindFlink      = "flink"
	kindMySQL      = "mysql"
	kindValkey     = "valkey"
	kindClickHouse = "clickhouse"
)

// kinds are all types of services, by name.
var kinds = kindsByName(postgreSQL(), apacheKafka(), mySQL(), valkey(), openSearch(), grafana(), apacheFlink(), clickHouse(), kafkaConnect())

func kindsByName(all ...*kind) map[string]*kind {
	out := make(map[string]*kind, len(all))
	for _, k := range all {
		out[k.name] = k
	}
	return out
}

// config applies changes to the user_config of a service; that of a new one is empty.
func (k *kind) config(current, changes map[string]any) (map[string]any, *apiError) {
	next, err := userconfig.OfService(k.name).Apply(current, changes)
	if err != nil {
		return nil, badRequest("%v", err)
	}
	if fail := checkFilter(changes); fail != nil {
		return nil, fail
	}
	if k.versionKey == "" {
		return next, nil
	}
	if next[k.versionKey] == nil {
		next[k.versionKey] = k.version
	}
	if was := current[k.versionKey]; was != nil && older(next[k.versionKey], was) {
		return nil, badRequest("Invalid user_config: cannot go back from version %v to %v", was, next[k.versionKey])
	}
	return next, nil
}

// refuses says why nothing new can have this name.
func (k *kind) refuses(what, name string) *apiError {
	if slices.ContainsFunc(k.reserved, func(r string) bool { return strings.EqualFold(r, name) }) {
		return badRequest("Invalid %s '%s': the name is reserved", what, name)
	}
	return nil
}

// older compares versions such as "17" and "4.2".
func older(version, than any) bool { return slices.Compare(numbers(version), numbers(than)) < 0 }

func numbers(version any) []int {
	text, _ := version.(string)
	var out []int
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}
