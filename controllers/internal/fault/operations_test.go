package fault_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	avngen "github.com/aiven/go-client-codegen"
	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

func TestE9_OperationsWithCodesOfTheirOwn(t *testing.T) {
	const query, register = "ServiceClickHouseQuery", "ServiceSchemaRegistrySubjectVersionPost"
	for name, row := range map[string]struct {
		operation string
		status    int
		message   string
		want      fault.Class
	}{
		"ClickHouse lacks privileges":                  {query, 400, "Code: 497. DB::Exception: aiven: Not enough privileges", fault.Rejected},
		"ClickHouse knows no such role":                {query, 400, "Code: 511. DB::Exception: There is no role `r`", fault.NotFound},
		"ClickHouse knows no such user":                {query, 400, "Code: 192. DB::Exception: There is no user `u`", fault.NotFound},
		"ClickHouse knows no such database":            {query, 400, "Code: 81. DB::Exception: Database x does not exist", fault.NotFound},
		"a name that looks like a code means nothing":  {query, 400, "Code: 62. DB::Exception: Syntax error: REVOKE SELECT FROM `Code: 192`", fault.Rejected},
		"ClickHouse waited in vain for its nodes":      {query, 400, "Code: 159. DB::Exception: Distributed DDL task is not finished (TIMEOUT_EXCEEDED)", fault.NotReady},
		"ClickHouse has lost its Keeper":               {query, 400, "Code: 999. Coordination::Exception: Session expired (KEEPER_EXCEPTION)", fault.NotReady},
		"a user that may have been made":               {"ServiceClickHouseUserCreate", 400, "Code: 341. DB::Exception: Mutation is not finished", fault.NotReady},
		"a name that looks like a timeout's code":      {query, 400, "Code: 62. DB::Exception: Syntax error: `Code: 159`", fault.Rejected},
		"nor does one that looks like a lack of them":  {query, 400, "Code: 192. DB::Exception: There is no user `Code: 497`", fault.NotFound},
		"a code behind some words":                     {query, 400, "Query failed: Code: 192. DB::Exception: There is no user `u`", fault.NotFound},
		"ClickHouse finds a mistake":                   {query, 400, "Code: 62. DB::Exception: Syntax error", fault.Rejected},
		"another code that begins alike is a mistake":  {query, 400, "Code: 5110. DB::Exception: x", fault.Rejected},
		"SQL that speaks of limits is a mistake":       {query, 400, "Code: 62. Syntax error: CREATE QUOTA exceeded, not enough", fault.Rejected},
		"a fresh ClickHouse fails":                     {query, 503, "no route", fault.NotReady},
		"a fresh ClickHouse fails to make a database":  {"ServiceClickHouseDatabaseCreate", 500, "", fault.NotReady},
		"the list of databases fails as anything does": {"ServiceClickHouseDatabaseList", 500, "", fault.Server},
		"the list of users fails as anything does":     {"ServiceClickHouseUserList", 503, "", fault.Server},
		"a fresh ClickHouse fails to make a user":      {"ServiceClickHouseUserCreate", 503, "", fault.NotReady},
		"a project that has no quota for SQL":          {query, 403, "Project quota exceeded", fault.Exhausted},
		"a project that has no quota for a schema":     {register, 403, "Project quota exceeded", fault.Exhausted},
		"an incompatible schema":                       {register, 409, "Schema being registered is incompatible", fault.Rejected},
		"a schema that has a field called quota":       {register, 422, `Invalid schema {"name": "quota", "doc": "limit reached"}`, fault.Rejected},
		"a registry that starts":                       {register, 503, "", fault.NotReady},
		"a referenced subject":                         {"ServiceSchemaRegistrySubjectDelete", 422, "One or more references exist (42206)", fault.Conflict},
		"a referenced version":                         {"ServiceSchemaRegistrySubjectVersionDelete", 422, "error_code 42206", fault.Conflict},
		"another refusal of the registry":              {"ServiceSchemaRegistrySubjectDelete", 422, "Invalid subject", fault.Rejected},
		"an integration without a change":              {"ServiceIntegrationUpdate", 400, "user config not changed", fault.NoChange},
		"an endpoint without a change":                 {"ServiceIntegrationEndpointUpdate", 400, "User config not changed", fault.NoChange},
		"those words about anything else":              {"ServiceUpdate", 400, "user config not changed", fault.Rejected},
		"an integration that is new":                   {"ServiceIntegrationUpdate", 404, "Service integration not found", fault.NotReady},
		"an integration that is gone":                  {"ServiceIntegrationDelete", 404, "Service integration not found", fault.NotFound},
		"workers that restart":                         {"ServiceKafkaConnectCreateConnector", 404, "Service does not exist", fault.NotReady},
		"workers that restart while being read":        {"ServiceKafkaConnectList", 404, "Service 'kc' does not exist", fault.NotReady},
		"a connector that is gone":                     {"ServiceKafkaConnectEditConnector", 404, "Connector 'x' does not exist", fault.NotFound},
		"workers that rebalance":                       {"ServiceKafkaConnectEditConnector", 409, "Cannot complete request because of a rebalance", fault.Conflict},
		"workers that fail":                            {"ServiceKafkaConnectCreateConnector", 502, "", fault.NotReady},
		"workers that start":                           {"ServiceKafkaConnectCreateConnector", 503, "", fault.NotReady},
		"a project that costs money":                   {"ProjectDelete", 403, "Project has open balance", fault.Conflict},
		"a project of others":                          {"ProjectDelete", 403, "Not a project member", fault.Forbidden},
		"a project that was just made":                 {"ProjectGet", 403, "Not a project member", fault.Forbidden},
		"projects that fail":                           {"OrganizationProjectsUpdate", 500, "", fault.NotReady},
		"a protected service":                          {"ServiceDelete", 403, "Service is protected against termination and shutdown.", fault.Protected},
		"a protected service that is powered off":      {"ServiceUpdate", 403, "Service is protected against termination and shutdown.", fault.Protected},
		"a name in double quotes says nothing":         {"ServiceKafkaTopicCreate", 400, `Topic "trial" is not valid`, fault.Rejected},
	} {
		t.Run(name, func(t *testing.T) {
			answer := avngen.Error{OperationID: row.operation, Status: row.status, Message: row.message}
			assert.Equal(t, row.want, fault.Of(fmt.Errorf("calling: %w", answer)).Class)
			if row.status == http.StatusServiceUnavailable {
				timed := fault.Of(fmt.Errorf("calling: %w", &fault.RateLimitError{Answer: answer, RetryAfter: time.Minute}))
				assert.Equal(t, row.want, timed.Class, "with a Retry-After")
				assert.Equal(t, time.Minute, timed.RetryAfter)
			}
		})
	}
	assert.True(t, fault.Unchanged(avngen.Error{OperationID: "ServiceIntegrationUpdate", Status: 400, Message: "user config not changed"}))
	assert.False(t, fault.Unchanged(nil))
}

func TestRefusalsNameWhatIsRefused(t *testing.T) {
	plan := fmt.Errorf("creating: %w", avngen.Error{
		OperationID: "ServiceCreate", Status: 400, Message: "Invalid plan 'startup-400' for service type 'pg'.",
	})
	var none *fault.Secrets
	for name, row := range map[string]struct {
		err                    error
		headline, remedy, want string
	}{
		"a field":        {plan, "Aiven rejected spec.plan", "", "Aiven rejected spec.plan: Invalid plan 'startup-400' for service type 'pg'. (400 ServiceCreate)"},
		"no field":       {plan, "Aiven rejected the change", "", "Aiven rejected the change: Invalid plan 'startup-400' for service type 'pg'. (400 ServiceCreate)"},
		"what to do":     {plan, "Aiven rejected spec.plan", "Choose another", "Aiven rejected spec.plan: Invalid plan 'startup-400' for service type 'pg'. Choose another (400 ServiceCreate)"},
		"no call":        {fault.InvalidSpec("spec.plan", "is empty"), "Aiven rejected spec.x", "", "spec.plan: is empty"},
		"no call, to do": {fault.InvalidSpec("spec.plan", "is empty."), "", "Set it", "spec.plan: is empty. Set it"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, row.want, none.Refusal(row.err, row.headline, row.remedy)) })
	}
	assert.Equal(t, "Invalid plan 'startup-400' for service type 'pg'.", none.Sentence(plan))
	assert.Equal(t, "spec.plan: is empty", none.Sentence(fault.InvalidSpec("spec.plan", "is empty")))
}

func TestOnlyA400IsABadRequest(t *testing.T) {
	for name, row := range map[string]struct {
		err  error
		want bool
	}{
		"a 400":                   {avngen.Error{Status: 400, Message: "no"}, true},
		"wrapped":                 {fmt.Errorf("x: %w", avngen.Error{Status: 400}), true},
		"another refusal":         {avngen.Error{Status: 405, Message: "no"}, false},
		"no answer":               {errors.New("400"), false},
		"no error, and no answer": {nil, false},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, row.want, fault.IsBadRequest(row.err)) })
	}
}

func TestAStrangerToAProjectKnowsThatThereIsOne(t *testing.T) {
	for name, row := range map[string]struct {
		err  error
		want bool
	}{
		"a project of others":     {avngen.Error{OperationID: "ProjectGet", Status: 403, Message: "Not a project member"}, true},
		"wrapped":                 {fmt.Errorf("x: %w", avngen.Error{OperationID: "ProjectGet", Status: 403, Message: "Not a project member."}), true},
		"in the details":          {avngen.Error{Status: 403, Errors: []any{map[string]any{"message": "Not a project member"}}}, true},
		"another refusal":         {avngen.Error{OperationID: "ProjectGet", Status: 403, Message: "Forbidden"}, false},
		"no refusal":              {avngen.Error{OperationID: "ProjectGet", Status: 404, Message: "Not a project member"}, false},
		"no answer":               {fmt.Errorf("not a project member"), false},
		"no error, and no answer": {nil, false},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, row.want, fault.IsStranger(row.err)) })
	}
}
