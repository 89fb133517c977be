package kafka

import (
	"reflect"
	"strings"

	"github.com/aiven/go-client-codegen/handler/kafkatopic"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
)

// gone is the value of a setting that the version of Kafka no longer has. Aiven takes any other and drops it.
const gone = "None"

// diffSettings compares what the spec sets, as far as Aiven tells it.
func diffSettings(diff *controllers.Diff, obj *v1alpha1.KafkaTopic, found *aiven.TopicDetail) {
	eachSetting(obj, func(name string, field reflect.StructField, wanted reflect.Value) {
		has := reflect.ValueOf(found.Config).FieldByName(field.Name)
		if has.IsNil() {
			return
		}
		value := has.Elem().FieldByName("Value")
		if value.String() != gone && !value.Equal(wanted.Convert(value.Type())) {
			diff.Add("spec.config."+name, wanted, value)
		}
	})
}

// topicConfig are the settings as Aiven takes them; nil if the spec has none.
func topicConfig(obj *v1alpha1.KafkaTopic) *kafkatopic.ConfigIn {
	if obj.Spec.Config == nil {
		return nil
	}
	in := &kafkatopic.ConfigIn{}
	eachSetting(obj, func(_ string, field reflect.StructField, wanted reflect.Value) {
		to := reflect.ValueOf(in).Elem().FieldByName(field.Name)
		if to.Kind() == reflect.Pointer {
			to.Set(reflect.New(to.Type().Elem()))
			to = to.Elem()
		}
		to.Set(wanted.Convert(to.Type()))
	})
	return in
}

// eachSetting visits what the spec sets, by its name at Aiven. The fields are called alike in the spec, in requests and in
// answers.
func eachSetting(obj *v1alpha1.KafkaTopic, visit func(name string, field reflect.StructField, wanted reflect.Value)) {
	config := reflect.ValueOf(ptr.Deref(obj.Spec.Config, v1alpha1.KafkaTopicConfig{}))
	for i := range config.NumField() {
		field, value := config.Type().Field(i), config.Field(i)
		if !value.IsZero() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			visit(name, field, reflect.Indirect(value))
		}
	}
}
