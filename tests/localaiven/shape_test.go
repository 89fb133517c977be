package localaiven_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aiven/go-client-codegen/handler/kafka"
	"github.com/aiven/go-client-codegen/handler/kafkatopic"
	"github.com/aiven/go-client-codegen/handler/postgresql"
	"github.com/aiven/go-client-codegen/handler/project"
	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/aiven/go-client-codegen/handler/vpc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// TestAnswersHaveTheShapeOfThePublicClient compares answers with the client's types: all keys that they demand are there,
// and none that they don't know.
func TestAnswersHaveTheShapeOfThePublicClient(t *testing.T) {
	h := runningKafka(t, localaiven.Options{})
	h.create(t, service.ServiceCreateIn{})
	h.clock.Advance(provision)
	ctx := t.Context()
	_, err := h.client.ServiceUserCreate(ctx, proj, svcName, &service.ServiceUserCreateIn{Username: "bob"})
	require.NoError(t, err)
	require.NoError(t, h.client.ServicePGBouncerCreate(ctx, proj, svcName, &postgresql.ServicePGBouncerCreateIn{PoolName: "p", Database: "defaultdb"}))
	h.update(t, service.ServiceUpdateIn{
		TechEmails: &[]service.TechEmailIn{{Email: "a@example.com"}},
		UserConfig: &map[string]any{"migration": map[string]any{"host": "h", "port": 1}},
	})

	h.createTopic(t, kafkatopic.ServiceKafkaTopicCreateIn{TopicName: "orders", Tags: &[]kafkatopic.TagIn{{Key: "a", Value: "b"}}})
	network := h.createVPC(t, "10.0.0.0/24")

	for name, c := range map[string]struct {
		method, path, body string
		shape              any
	}{
		"ServiceCreate of Kafka":  {post, servicesPath, `{"service_name":"k","service_type":"kafka","plan":"startup-2"}`, struct{ Service service.ServiceCreateOut }{}},
		"ServiceUpdate of Kafka":  {put, kafkaPath, `{"user_config":{"schema_registry":true,"kafka_connect":true}}`, struct{ Service service.ServiceUpdateOut }{}},
		"ServiceGet of Kafka":     {get, kafkaPath, "", struct{ Service service.ServiceGetOut }{}},
		"ServiceUserGet of Kafka": {get, kafkaPath + "/user/avnadmin", "", struct{ User service.ServiceUserGetOut }{}},
		"ServiceKafkaTopicList":   {get, kafkaPath + "/topic", "", struct{ Topics []kafkatopic.TopicOut }{}},
		"ServiceKafkaTopicGet": {get, kafkaPath + "/topic/orders", "", struct {
			Topic kafkatopic.ServiceKafkaTopicGetOut
		}{}},
		"ServiceKafkaTopicListV2": {post, strings.Replace(kafkaPath, "v1", "v2", 1) + "/topic", `{"topic_names":["orders"]}`, struct {
			Topics []kafkatopic.ServiceKafkaTopicGetOut
		}{}},
		"ServiceKafkaAclList":   {get, kafkaPath + "/acl", "", aclAnswer[kafka.ServiceKafkaAclListOut]{}},
		"ServiceKafkaAclAdd":    {post, kafkaPath + "/acl", `{"username":"x","topic":"y","permission":"read"}`, aclAnswer[kafka.AclOut]{}},
		"ServiceKafkaAclDelete": {del, kafkaPath + "/acl/default", "", aclAnswer[kafka.ServiceKafkaAclDeleteOut]{}},
		"VpcList":               {get, vpcsPath, "", struct{ Vpcs []vpc.VpcOut }{}},
		"VpcGet":                {get, vpcsPath + "/" + network.ProjectVpcId, "", vpc.VpcGetOut{}},
		"VpcCreate":             {post, vpcsPath, `{"cloud_name":"aws-eu-west-1","network_cidr":"10.1.0.0/24"}`, vpc.VpcCreateOut{}},
		"ServiceGet":            {get, servicePath, "", struct{ Service service.ServiceGetOut }{}},
		"ServiceList":           {get, servicesPath, "", struct{ Services []service.ServiceOut }{}},
		"ServiceCreate":         {post, servicesPath, `{"service_name":"b","service_type":"pg","plan":"hobbyist"}`, struct{ Service service.ServiceCreateOut }{}},
		"ServiceUpdate":         {put, servicePath, `{}`, struct{ Service service.ServiceUpdateOut }{}},
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

// aclAnswer has the list that the client hides.
type aclAnswer[T any] struct {
	ACL []T `json:"acl"`
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
