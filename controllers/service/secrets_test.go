package service

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	pgoptions "github.com/aero-operator/aero/api/v1alpha1/userconfig/service/pg"
)

// Aiven quotes options in its refusals: the engine removes these values from all texts about the object.
func TestTheSecretsAmongTheOptionsOfAServiceAreKnown(t *testing.T) {
	obj := object()
	obj.Spec.UserConfig = &pgoptions.PgUserConfig{AdminPassword: ptr.To("CorrectHorseBattery")}
	kind := Definition[*v1alpha1.PostgreSQL]{
		Type: "pg", Options: func(obj *v1alpha1.PostgreSQL) any { return obj.Spec.UserConfig },
	}.Kind(&v1alpha1.PostgreSQL{})
	assert.Equal(t, []string{"CorrectHorseBattery"}, kind.Secrets(obj))
	assert.Empty(t, kind.Secrets(&v1alpha1.PostgreSQL{}))
}
