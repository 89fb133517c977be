package localaiven_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/tests/localaiven"
)

const (
	get, post, put, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
	servicesPath        = "/v1/project/" + proj + "/service"
)

type badCall struct {
	method, path, body string
	status             int
	message            string
}

// assertRefused checks status, message and the shape of the error.
func assertRefused(t *testing.T, h *harness, token string, c badCall) {
	t.Helper()
	status, body := h.send(t, c.method, c.path, token, c.body)
	assert.Equal(t, c.status, status)
	assert.Contains(t, body["message"], c.message)
	assert.Equal(t, []any{map[string]any{"message": body["message"], "status": float64(c.status)}}, body["errors"])
	assert.Len(t, body, 2)
}

func TestRefusedServices(t *testing.T) {
	with := func(fields string) string {
		return `{"service_name":"other","service_type":"pg","plan":"startup-4","project_vpc_id":null` + fields + `}`
	}
	for name, c := range map[string]badCall{
		"an unknown plan is named":            {post, servicesPath, strings.Replace(with(""), "startup-4", "startup-5", 1), 400, "startup-5"},
		"an unknown plan in an update":        {put, servicePath, `{"plan":"huge"}`, 400, "huge"},
		"an unknown service type":             {post, servicesPath, strings.Replace(with(""), `"pg"`, `"pgx"`, 1), 400, "pgx"},
		"a bad service name":                  {post, servicesPath, strings.Replace(with(""), "other", "Other!", 1), 400, "Other!"},
		"a service that exists":               {post, servicesPath, strings.Replace(with(""), "other", svcName, 1), 409, "already exists"},
		"an unknown cloud":                    {post, servicesPath, with(`,"cloud":"mars-north1"`), 400, "mars-north1"},
		"too little disk":                     {post, servicesPath, with(`,"disk_space_mb":1024`), 400, "disk_space_mb"},
		"a bad tag":                           {post, servicesPath, with(`,"tags":{"1":"x"}`), 400, "tag"},
		"a bad email address":                 {post, servicesPath, with(`,"tech_emails":[{"email":"x"}]`), 400, "tech_emails"},
		"a bad maintenance day":               {post, servicesPath, with(`,"maintenance":{"dow":"someday"}`), 400, "someday"},
		"a bad maintenance time":              {post, servicesPath, with(`,"maintenance":{"time":"noon"}`), 400, "noon"},
		"an unknown key of the request":       {post, servicesPath, with(`,"color":"blue"`), 400, "color"},
		"a wrong type in the request":         {post, servicesPath, with(`,"disk_space_mb":"many"`), 400, "disk_space_mb"},
		"an unknown key of user_config":       {post, servicesPath, with(`,"user_config":{"colour":1}`), 400, "'colour'"},
		"an unknown nested key":               {post, servicesPath, with(`,"user_config":{"pg":{"colour":1}}`), 400, "'colour'"},
		"a wrong type in user_config":         {post, servicesPath, with(`,"user_config":{"work_mem":"much"}`), 400, "user_config.work_mem"},
		"a number below the minimum":          {post, servicesPath, with(`,"user_config":{"backup_hour":-1}`), 400, "user_config.backup_hour"},
		"a number above the maximum":          {post, servicesPath, with(`,"user_config":{"backup_hour":24}`), 400, "user_config.backup_hour"},
		"a value that isn't in the enum":      {post, servicesPath, with(`,"user_config":{"pg_version":"9.6"}`), 400, "9.6"},
		"a string that is too short":          {post, servicesPath, with(`,"user_config":{"admin_password":"x"}`), 400, "admin_password"},
		"a string against its pattern":        {post, servicesPath, with(`,"user_config":{"admin_password":"!!!!!!!!!!"}`), 400, "admin_password"},
		"a missing required key":              {post, servicesPath, with(`,"user_config":{"migration":{"host":"h"}}`), 400, "'port' is a required property"},
		"a bad item of a list":                {post, servicesPath, with(`,"user_config":{"ip_filter":[7]}`), 400, "user_config.ip_filter.0"},
		"a filter that is no network":         {post, servicesPath, with(`,"user_config":{"ip_filter":["10.0.0.0/33"]}`), 400, "user_config.ip_filter.0: '"},
		"a filter that is no address":         {post, servicesPath, with(`,"user_config":{"ip_filter":[{"network":"home"}]}`), 400, "user_config.ip_filter.0.network: 'home'"},
		"a create_only key in an update":      {put, servicePath, `{"user_config":{"admin_password":"long-enough"}}`, 400, "admin_password"},
		"an older version":                    {put, servicePath, `{"user_config":{"pg_version":"15"}}`, 400, "17 to 15"},
		"an unknown service":                  {get, servicesPath + "/nope", "", 404, "Service nope does not exist"},
		"an update of an unknown service":     {put, servicesPath + "/nope", "{}", 404, "Service nope does not exist"},
		"deleting an unknown service":         {del, servicesPath + "/nope", "", 404, "Service nope does not exist"},
		"a body that isn't JSON":              {post, servicesPath, `{"service_name"`, 400, "JSON"},
		"two values in one body":              {post, servicesPath, with("") + "{}", 400, "JSON"},
		"a body that is no object":            {post, servicesPath, `[]`, 400, "array"},
		"a body that is too large":            {post, servicesPath, strings.Repeat(" ", 2<<20), 413, "too large"},
		"a method that the route lacks":       {http.MethodPatch, servicePath, "{}", 501, "PATCH"},
		"a path that isn't known":             {get, "/v1/nope", "", 501, "/v1/nope"},
		"a path with an empty part":           {get, "/v1/project//service", "", 501, ""},
		"an unknown task":                     {get, servicePath + "/task/nope", "", 404, "Task does not exist"},
		"a task that isn't simulated":         {post, servicePath + "/task", `{"task_type":"dataset_import"}`, 400, "dataset_import"},
		"an upgrade check without a version":  {post, servicePath + "/task", `{"task_type":"upgrade_check"}`, 400, "upgrade_check"},
		"an upgrade check to no such version": {post, servicePath + "/task", `{"task_type":"upgrade_check","target_version":"9"}`, 400, "target_version"},
	} {
		t.Run(name, func(t *testing.T) {
			assertRefused(t, running(t, localaiven.Options{}), "x", c)
		})
	}
}

func TestRefusedInsideAService(t *testing.T) {
	for name, c := range map[string]badCall{
		"a user that exists":             {post, servicePath + "/user", `{"username":"avnadmin"}`, 409, "already exists"},
		"a bad user name":                {post, servicePath + "/user", `{"username":"a b"}`, 400, "a b"},
		"access control of another type": {post, servicePath + "/user", `{"username":"bob","access_control":{"valkey_acl_keys":["*"]}}`, 400, "pg_allow_replication"},
		"the first of several keys":      {post, servicePath + "/user", `{"username":"bob","access_control":{"valkey_acl_keys":[],"valkey_acl_commands":[],"valkey_acl_channels":[],"valkey_acl_categories":[]}}`, 400, "not valkey_acl_categories"},
		"a user of an unknown service":   {post, servicesPath + "/nope/user", `{"username":"bob"}`, 404, "Service nope does not exist"},
		"reading an unknown user":        {get, servicePath + "/user/nope", "", 404, "Service user does not exist"},
		"deleting an unknown user":       {del, servicePath + "/user/nope", "", 404, "Service user does not exist"},
		"deleting the main user":         {del, servicePath + "/user/avnadmin", "", 403, "cannot be deleted"},
		"modifying an unknown user":      {put, servicePath + "/user/nope", `{"operation":"reset-credentials"}`, 404, "Service user does not exist"},
		"an unknown operation":           {put, servicePath + "/user/avnadmin", `{"operation":"dance"}`, 400, "dance"},
		"acknowledging no certificate":   {put, servicePath + "/user/avnadmin", `{"operation":"acknowledge-renewal"}`, 400, "has no certificate"},
		"a password that is too short":   {put, servicePath + "/user/avnadmin", `{"operation":"reset-credentials","new_password":"short"}`, 400, "new_password"},
		"access control without any":     {put, servicePath + "/user/avnadmin", `{"operation":"set-access-control"}`, 400, "access_control"},
		"a database that exists":         {post, servicePath + "/db", `{"database":"defaultdb"}`, 409, "already exists"},
		"a bad database name":            {post, servicePath + "/db", `{"database":"-x"}`, 400, "-x"},
		"a bad collation":                {post, servicePath + "/db", `{"database":"x","lc_collate":"klingon"}`, 400, "lc_collate"},
		"a bad character type":           {post, servicePath + "/db", `{"database":"x","lc_ctype":"klingon"}`, 400, "lc_ctype"},
		"a bad page size":                {get, servicePath + "/db?maxItems=0", "", 400, "maxItems"},
		"deleting an unknown database":   {del, servicePath + "/db/nope", "", 404, "Database does not exist"},
		"a pool for an unknown database": {post, servicePath + "/connection_pool", `{"pool_name":"p","database":"nope"}`, 404, "Database does not exist"},
		"a pool for an unknown user":     {post, servicePath + "/connection_pool", `{"pool_name":"p","database":"defaultdb","username":"nope"}`, 404, "Service user does not exist"},
		"a pool of size 0":               {post, servicePath + "/connection_pool", `{"pool_name":"p","database":"defaultdb","pool_size":0}`, 400, "pool_size"},
		"a pool with an unknown mode":    {post, servicePath + "/connection_pool", `{"pool_name":"p","database":"defaultdb","pool_mode":"x"}`, 400, "pool_mode"},
		"a bad pool name":                {post, servicePath + "/connection_pool", `{"pool_name":"","database":"defaultdb"}`, 400, "pool_name"},
		"updating an unknown pool":       {put, servicePath + "/connection_pool/nope", `{}`, 404, "Connection pool does not exist"},
		"deleting an unknown pool":       {del, servicePath + "/connection_pool/nope", "", 404, "Connection pool does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			assertRefused(t, running(t, localaiven.Options{}), "x", c)
		})
	}
}

func TestWhatIsInsideNeedsARunningService(t *testing.T) {
	calls := []badCall{
		{method: post, path: servicePath + "/user", body: `{"username":"bob"}`},
		{method: put, path: servicePath + "/user/avnadmin", body: `{"operation":"reset-credentials"}`},
		{method: post, path: servicePath + "/db", body: `{"database":"orders"}`},
		{method: del, path: servicePath + "/db/defaultdb"},
		{method: post, path: servicePath + "/connection_pool", body: `{"pool_name":"p","database":"defaultdb"}`},
	}
	assertAll := func(t *testing.T, h *harness, status int, message string) {
		t.Helper()
		for _, c := range calls {
			c.status, c.message = status, message
			assertRefused(t, h, "x", c)
		}
	}
	t.Run("while it is being built the call may be tried again", func(t *testing.T) {
		h := start(t, localaiven.Options{ProvisionTime: provision})
		h.create(t, service.ServiceCreateIn{})
		assertAll(t, h, 503, "not running")
	})
	t.Run("without power the call is a conflict", func(t *testing.T) {
		h := running(t, localaiven.Options{})
		h.update(t, service.ServiceUpdateIn{Powered: ptr(false)})
		assertAll(t, h, 409, "powered off")
	})
	t.Run("while it is rebalancing it serves", func(t *testing.T) {
		h := running(t, localaiven.Options{})
		h.update(t, service.ServiceUpdateIn{Plan: ptr("business-4")})
		status, _ := h.send(t, post, servicePath+"/user", "x", `{"username":"bob"}`)
		assert.Equal(t, 200, status)
	})
}

func TestTerminationProtectionBlocksPowerOff(t *testing.T) {
	h := running(t, localaiven.Options{})
	h.update(t, service.ServiceUpdateIn{TerminationProtection: ptr(true)})
	assertRefused(t, h, "x", badCall{put, servicePath, `{"powered":false}`, 403, "protected"})
	assert.Equal(t, "RUNNING", h.state(t))
}

func TestTokensAndProjects(t *testing.T) {
	h := start(t, localaiven.Options{Tokens: []string{"one", "two"}, Projects: []string{proj}})
	for _, token := range []string{"one", "two"} {
		status, _ := h.send(t, get, servicesPath, token, "")
		assert.Equal(t, 200, status, token)
	}
	assertRefused(t, h, "three", badCall{method: get, path: servicesPath, status: 401, message: "Invalid token"})
	assertRefused(t, h, "", badCall{method: get, path: servicesPath, status: 401, message: "Authentication required"})
	assertRefused(t, h, "one", badCall{method: get, path: "/v1/project/nope/service", status: 404, message: "Project does not exist"})
	assertRefused(t, start(t, localaiven.Options{}), "", badCall{method: get, path: servicesPath, status: 401, message: "Authentication required"})
}
