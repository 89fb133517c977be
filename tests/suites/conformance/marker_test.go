package conformance_test

import (
	"fmt"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/tests/harness/testenv"
)

// markSecrets puts a marker into every secret field of the object, and into every Secret that it may name, and plants it: no log, event,
// status, span, metric or cache may have it, whatever Aiven answers.
func (s *testCase) markSecrets() {
	s.T.Helper()
	marks := 0
	marker := func() string {
		marks++
		text := fmt.Sprintf("Marker%dOf%s", marks, strings.ReplaceAll(s.Namespace, "-", ""))
		s.Plant(text)
		return text
	}
	markFields(reflect.ValueOf(s.obj).Elem().FieldByName("Spec"), marker)
	switch obj := s.obj.(type) {
	case *v1alpha1.ServiceUser:
		s.SetSecret(sourceSecret, map[string]string{sourceKey: marker()})
		obj.Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: sourceSecret, PasswordKey: sourceKey}
	case *v1alpha1.ClickhouseUser:
		s.SetSecret(sourceSecret, map[string]string{sourceKey: marker()})
		obj.Spec.ConnInfoSecretSource = &v1alpha1.ConnInfoSecretSource{Name: sourceSecret, PasswordKey: sourceKey}
	case *v1alpha1.KafkaConnector:
		s.SetSecret("orders-api", map[string]string{"token": marker()})
		obj.Spec.UserConfig["http.headers.authorization"] = `{{ fromSecret "orders-api" "token" }}`
		obj.Spec.UserConfig["http.authorization.type"] = "static"
	}
	token := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: testenv.TokenSecret}}
	s.Annotate(token, corev1.LastAppliedConfigAnnotation, `{"stringData": {"token": "`+s.Token+`"}}`)
}

// markFields sets the secret options of the groups that a spec has.
func markFields(value reflect.Value, marker func() string) {
	if value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return
		}
		value = value.Elem()
	}
	if value.Kind() != reflect.Struct {
		return
	}
	for i := range value.NumField() {
		field := value.Field(i)
		switch secret := value.Type().Field(i).Tag.Get("sensitive") == "true"; {
		case !secret:
			markFields(field, marker)
		case field.Kind() == reflect.String:
			field.SetString(marker())
		case field.Type() == reflect.TypeFor[*string]():
			field.Set(reflect.ValueOf(new(marker())))
		}
	}
}
