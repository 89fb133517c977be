package export

import (
	"context"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/aiven/go-client-codegen/handler/kafkatopic"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/schemaregistry"
	"github.com/aero-operator/aero/controllers/kinds/kafka"

	avnschema "github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"
)

// internalTopic is the name of a topic that Kafka, Kafka Connect, the schema registry or MirrorMaker makes for itself.
var internalTopic = regexp.MustCompile(`^__|^_schemas$|^mm2-.*\.internal$|(^|\.)heartbeats$|\.checkpoints\.internal$|\.replicator-state$`)

// fewestReplicas is what the kind allows.
const fewestReplicas = 2

// topics exports topics with their own settings.
func topics(ctx context.Context, e *exporter, s *aiven.Service) {
	if !e.wants("KafkaTopic") {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(s.Topics)) {
		d := about(s, "topic", name)
		if internalTopic.MatchString(name) {
			e.leave(d.what, "it is an internal topic")
			continue
		}
		found, read := ask(ctx, e, d.what, func(ctx context.Context) (*aiven.TopicDetail, error) {
			return e.client.Topic(ctx, s.Project, s.Name, name)
		})
		if !read {
			continue
		}
		if found.Replication < fewestReplicas {
			e.leave(d.what, "the kind needs a replication of 2 at least. Raise it at Aiven")
			continue
		}
		obj := exportTopic(found, e.IncludeDefaults)
		obj.Spec.ServiceDependant = in(s)
		d.rename = func(real string) { obj.Spec.TopicName = real }
		add(e, kafka.Topic, obj, d)
	}
}

func exportTopic(found *aiven.TopicDetail, defaults bool) *v1alpha1.KafkaTopic {
	obj := &v1alpha1.KafkaTopic{}
	obj.Spec.Partitions, obj.Spec.Replication = len(found.Partitions), found.Replication
	for _, tag := range found.Tags {
		obj.Spec.Tags = append(obj.Spec.Tags, v1alpha1.KafkaTopicTag(tag))
	}
	var config v1alpha1.KafkaTopicConfig
	to, from := reflect.ValueOf(&config).Elem(), reflect.ValueOf(found.Config)
	for i := range to.NumField() {
		has := from.FieldByName(to.Type().Field(i).Name)
		if !has.IsValid() || has.IsNil() {
			continue
		}
		source, value := has.Elem().FieldByName("Source").String(), has.Elem().FieldByName("Value")
		gone := value.Kind() == reflect.String && value.String() == "None"
		if gone || source != string(kafkatopic.SourceTypeTopicConfig) && !defaults {
			continue
		}
		field := to.Field(i)
		if field.Kind() == reflect.Pointer {
			field.Set(reflect.New(field.Type().Elem()))
			field = field.Elem()
		}
		field.Set(value.Convert(field.Type()))
	}
	if config != (v1alpha1.KafkaTopicConfig{}) {
		obj.Spec.Config = &config
	}
	return obj
}

// schemas exports the latest version of each subject: the object has no earlier ones.
func schemas(ctx context.Context, e *exporter, s *aiven.Service) {
	if !e.wants("KafkaSchema") || !schemaregistry.IsEnabled(s) || !e.answers(s, "schemas") {
		return
	}
	subjects, _ := ask(ctx, e, "service "+s.Name+": schemas", func(ctx context.Context) ([]string, error) {
		return e.client.API().ServiceSchemaRegistrySubjects(ctx, s.Project, s.Name)
	})
	for _, name := range slices.Sorted(slices.Values(subjects)) {
		d := about(s, "subject", name)
		at := schemaregistry.Subject{Client: e.client, Project: s.Project, Service: s.Name, Name: name}
		obj, read := ask(ctx, e, d.what, func(ctx context.Context) (*v1alpha1.KafkaSchema, error) { return e.exportSchema(ctx, at) })
		if !read || obj == nil {
			continue
		}
		obj.Spec.ServiceDependant = in(s)
		add(e, kafka.Schema, obj, d)
	}
}

// exportSchema returns nil for a subject without versions.
func (e *exporter) exportSchema(ctx context.Context, at schemaregistry.Subject) (*v1alpha1.KafkaSchema, error) {
	api := e.client.API()
	versions, err := api.ServiceSchemaRegistrySubjectVersionsGet(ctx, at.Project, at.Service, at.Name)
	if err != nil || len(versions) == 0 {
		return nil, err
	}
	latest, err := at.Get(ctx, slices.Max(versions))
	if err != nil || latest == nil {
		return nil, err
	}
	level, err := api.ServiceSchemaRegistrySubjectConfigGet(ctx, at.Project, at.Service, at.Name,
		avnschema.ServiceSchemaRegistrySubjectConfigGetGlobalDefaultFallback(false))
	if fault.Is(err, fault.NotFound) {
		level, err = "", nil
	}
	obj := schemaOf(latest)
	obj.Spec.SubjectName, obj.Spec.CompatibilityLevel = at.Name, string(level)
	return obj, err
}

func schemaOf(found *schemaregistry.Version) *v1alpha1.KafkaSchema {
	obj := &v1alpha1.KafkaSchema{}
	obj.Spec.Schema, obj.Spec.SchemaType = found.Schema, strings.ToUpper(string(found.SchemaType))
	for _, ref := range found.References {
		obj.Spec.References = append(obj.Spec.References, v1alpha1.KafkaSchemaReference{Name: ref.Name, Subject: ref.Subject, Version: &ref.Version})
	}
	return obj
}
