package resource

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiventest"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// byUsername is a kind whose deletion has the name in its path.
func byUsername() controllers.Kind[user] {
	d := definition()
	d.Named = func(obj user) (string, string) { return "spec.username", obj.GetUsername() }
	return d.Kind()
}

func usernamed(name string) user {
	obj := object()
	obj.Spec.Username = name
	return obj
}

func TestANameThatNoPathCanHoldIsRefusedBeforeTheCreation(t *testing.T) {
	for name, refused := range map[string]bool{
		"joe/": true, "/joe": true, "a//b": true, "a/;b": true, `a\\b`: true, "%2e%2e": true, "..": true,
		"": false, "joe": false, "a/b": false, "a;b": false, "100%": false,
	} {
		t.Run(name, func(t *testing.T) {
			a, obj := aiventest.New(t), usernamed(name)
			a.On(lookup, aiventest.Service(nil))
			env := controllers.Env{Client: a.Client()}
			o, err := byUsername().New(env).Observe(t.Context(), obj)
			if !refused {
				require.NoError(t, err)
				assert.False(t, o.Remote.Exists)
				return
			}
			assert.Equal(t, fault.Invalid, fault.Of(err).Class)
			require.ErrorContains(t, err, "spec.username: ")
			require.ErrorContains(t, err, "can't be a name at Aiven: it would change the paths of calls. Recreate the object with another spec.username")
		})
	}
}

func TestAResourceThatIsThereIsOfUseUnderANameThatNoPathCanHold(t *testing.T) {
	a, obj := aiventest.New(t), usernamed("joe/")
	a.On(lookup, aiventest.Service(aiventest.Object{"users": []any{aiventest.Object{"username": "joe/", "type": "normal", "password": "wanted"}}}))
	env := controllers.Env{Client: a.Client()}
	o, err := byUsername().New(env).Observe(t.Context(), obj)
	require.NoError(t, err)
	assert.True(t, o.Remote.Exists)

	for _, name := range []string{"", annotation.Running} { // a user may remove the annotation
		obj.Annotations = map[string]string{name: "true"}
		err = byUsername().New(env).Delete(t.Context(), obj)
		assert.Equal(t, fault.Invalid, fault.Of(err).Class, "it isn't gone: %v", err)
	}
}
