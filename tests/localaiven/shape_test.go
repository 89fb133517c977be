package localaiven_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/postgresql"
	"github.com/aiven/go-client-codegen/handler/project"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// TestAnswersHaveTheShapeOfThePublicClient compares answers with the client's types: all keys that they demand are there,
// and none that they don't know.
func TestAnswersHaveTheShapeOfThePublicClient(t *testing.T) {
	h := running(t, localaiven.Options{})
	ctx := t.Context()
	_, err := h.client.ServiceUserCreate(ctx, proj, svcName, &service.ServiceUserCreateIn{Username: "bob"})
	require.NoError(t, err)
	require.NoError(t, h.client.ServicePGBouncerCreate(ctx, proj, svcName, &postgresql.ServicePGBouncerCreateIn{PoolName: "p", Database: "defaultdb"}))
	h.update(t, service.ServiceUpdateIn{
		TechEmails: &[]service.TechEmailIn{{Email: "a@example.com"}},
		UserConfig: &map[string]any{"migration": map[string]any{"host": "h", "port": 1}},
	})

	for name, c := range map[string]struct {
		method, path, body string
		shape              any
	}{
		"ServiceGet":    {get, servicePath, "", struct{ Service service.ServiceGetOut }{}},
		"ServiceList":   {get, servicesPath, "", struct{ Services []service.ServiceOut }{}},
		"ServiceCreate": {post, servicesPath, `{"service_name":"b","service_type":"pg","plan":"hobbyist"}`, struct{ Service service.ServiceCreateOut }{}},
		"ServiceUpdate": {put, servicePath, `{}`, struct{ Service service.ServiceUpdateOut }{}},
		"ServiceUserCredentialsModify": {put, servicePath + "/user/bob", `{"operation":"reset-credentials"}`, struct {
			Service service.ServiceUserCredentialsModifyOut
		}{}},
		"ServiceUserCreate":         {post, servicePath + "/user", `{"username":"eve"}`, struct{ User service.ServiceUserCreateOut }{}},
		"ServiceUserGet":            {get, servicePath + "/user/bob", "", struct{ User service.ServiceUserGetOut }{}},
		"ServiceDatabaseList":       {get, servicePath + "/db?maxItems=1", "", service.ServiceDatabaseListOut{}},
		"ServiceBackupsGet":         {get, servicePath + "/backups", "", service.ServiceBackupsGetOut{}},
		"ServiceGetMigrationStatus": {get, servicePath + "/migration", "", service.ServiceGetMigrationStatusOut{}},
		"ServiceTaskCreate":         {post, servicePath + "/task", `{"task_type":"upgrade_check","target_version":"18"}`, struct{ Task service.ServiceTaskCreateOut }{}},
		"ProjectGet":                {get, "/v1/project/" + proj, "", struct{ Project project.ProjectGetOut }{}},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := h.send(t, c.method, c.path, "x", c.body)
			require.Equal(t, 200, status, body)
			assert.Empty(t, deviations(name, body, reflect.TypeOf(c.shape)))
		})
	}
}

// deviations lists where a decoded JSON value differs in its keys from a type.
func deviations(path string, value any, shape reflect.Type) []string {
	if shape.Kind() == reflect.Pointer {
		shape = shape.Elem()
	}
	var out []string
	if list, ok := value.([]any); ok && shape.Kind() == reflect.Slice {
		for i, item := range list {
			out = append(out, deviations(fmt.Sprintf("%s.%d", path, i), item, shape.Elem())...)
		}
		return out
	}
	object, ok := value.(map[string]any)
	if !ok || shape.Kind() != reflect.Struct || shape == reflect.TypeFor[time.Time]() {
		return nil
	}
	known := map[string]bool{}
	for i := range shape.NumField() {
		field := shape.Field(i)
		key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "" {
			key = strings.ToLower(field.Name)
		}
		known[key] = true
		item, present := object[key]
		if !present && options != "omitempty" {
			out = append(out, path+"."+key+" is missing")
		}
		out = append(out, deviations(path+"."+key, item, field.Type)...)
	}
	for key := range object {
		if !known[key] {
			out = append(out, path+"."+key+" is unknown to the client")
		}
	}
	return out
}
