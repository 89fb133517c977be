package userconfig_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/userconfig"
)

// fill sets all options of a tree, and appends the texts of those that hold a secret.
func fill(to reflect.Value, secret bool, planted *[]string) {
	switch to.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		fill(to.Elem(), secret, planted)
	case reflect.Struct:
		for i := range to.NumField() {
			fill(to.Field(i), to.Type().Field(i).Tag.Get("sensitive") == "true", planted)
		}
	case reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), 2, 2))
		for i := range to.Len() {
			fill(to.Index(i), secret, planted)
		}
	case reflect.String:
		to.SetString("text")
		if secret {
			*planted = append(*planted, fmt.Sprintf("marker-%d", len(*planted)))
			to.SetString((*planted)[len(*planted)-1])
		}
	}
}

// The options of all kinds, those in groups and lists too: what this finds is what no text of the operator may hold.
func TestEverySecretOptionOfEveryKindIsFound(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	kinds := 0
	for kind := range scheme.KnownTypes(v1alpha1.GroupVersion) {
		made, err := scheme.New(v1alpha1.GroupVersion.WithKind(kind))
		obj, is := made.(client.Object)
		if err != nil || !is {
			continue
		}
		spec := reflect.ValueOf(obj).Elem().FieldByName("Spec")
		for i := range spec.NumField() {
			options := spec.Field(i)
			if options.Kind() != reflect.Pointer || !strings.Contains(options.Type().Elem().PkgPath(), "/userconfig/") {
				continue
			}
			var planted []string
			fill(options, false, &planted)
			if len(planted) > 0 {
				kinds++
				assert.True(t, userconfig.MayHoldSecrets(options.Interface()), "%s %s", kind, spec.Type().Field(i).Name)
			}
			assert.ElementsMatch(t, planted, userconfig.Secrets(options.Interface()), "%s %s", kind, spec.Type().Field(i).Name)
		}
	}
	assert.Greater(t, kinds, 15)
}
