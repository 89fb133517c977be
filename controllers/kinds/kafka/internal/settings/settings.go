// Package settings compares and encodes the settings of a topic. It does no I/O.
package settings

import (
	"reflect"
	"strings"

	"github.com/aiven/go-client-codegen/handler/kafkatopic"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/plan"
)

// Path is that of the settings in a spec.
const Path = "spec.config"

// gone is the value of a setting that the version of Kafka no longer has. Aiven takes any other and drops it.
const gone = "None"

// Compare adds the differences between what the spec sets and what Aiven returned of it.
func Compare(diff *plan.Diff, obj *v1alpha1.KafkaTopic, found *aiven.TopicDetail) {
	each(obj, func(name string, field reflect.StructField, wanted reflect.Value) {
		has := reflect.ValueOf(found.Config).FieldByName(field.Name)
		if has.IsNil() {
			return
		}
		value := has.Elem().FieldByName("Value")
		if value.String() != gone && !value.Equal(wanted.Convert(value.Type())) {
			diff.Add(Path+"."+name, wanted.Interface(), value.Interface())
		}
	})
}

// Unreturned are the paths of those settings of the spec that Aiven didn't return.
func Unreturned(obj *v1alpha1.KafkaTopic, found *aiven.TopicDetail) []string {
	var paths []string
	each(obj, func(name string, field reflect.StructField, _ reflect.Value) {
		if reflect.ValueOf(found.Config).FieldByName(field.Name).IsNil() {
			paths = append(paths, Path+"."+name)
		}
	})
	return paths
}

// Request has the settings as Aiven takes them; nil if the spec has none.
func Request(obj *v1alpha1.KafkaTopic) *kafkatopic.ConfigIn {
	if obj.Spec.Config == nil {
		return nil
	}
	in := &kafkatopic.ConfigIn{}
	each(obj, func(_ string, field reflect.StructField, wanted reflect.Value) {
		to := reflect.ValueOf(in).Elem().FieldByName(field.Name)
		if to.Kind() == reflect.Pointer {
			to.Set(reflect.New(to.Type().Elem()))
			to = to.Elem()
		}
		to.Set(wanted.Convert(to.Type()))
	})
	return in
}

// each visits what the spec sets, by its name at Aiven. The fields are called alike in the spec, in requests and in
// answers.
func each(obj *v1alpha1.KafkaTopic, visit func(name string, field reflect.StructField, wanted reflect.Value)) {
	config := reflect.ValueOf(ptr.Deref(obj.Spec.Config, v1alpha1.KafkaTopicConfig{}))
	for i := range config.NumField() {
		field, value := config.Type().Field(i), config.Field(i)
		if !value.IsZero() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			visit(name, field, reflect.Indirect(value))
		}
	}
}
