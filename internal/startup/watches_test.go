package startup_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/aero-operator/aero/internal/startup"
)

func TestRefusalsOfTheAPIServerAreTheReason(t *testing.T) {
	now := time.Now()
	watches := &startup.Watches{Now: func() time.Time { return now }}
	informer := toolscache.NewReflectorWithOptions(nil, &corev1.Secret{}, nil, toolscache.ReflectorOptions{})
	refuse := func(name string) {
		watches.Failed(t.Context(), informer, apierrors.NewForbidden(corev1.Resource("secrets"), name, errors.New("no permission")))
	}
	require.ErrorContains(t, watches.Reason(false), "the caches have not synced")
	watches.Failed(t.Context(), informer, errors.New("connection refused"))
	require.ErrorContains(t, watches.Reason(false), "the caches have not synced", "only a refusal needs a person")

	refuse("b")
	refuse("a")
	err := watches.Reason(false)
	require.ErrorContains(t, err, `secrets "a" is forbidden: no permission; secrets "b" is forbidden: no permission. Remedy: `)
	assert.ErrorContains(t, err, "WATCHED_NAMESPACES")
	refuse("c")
	require.ErrorContains(t, watches.Reason(false), `"b" is forbidden: no permission; and 1 more. Remedy: `)

	require.NoError(t, watches.Reason(true), "the caches have synced, so earlier refusals are over")
	refuse("d")
	require.ErrorContains(t, watches.Reason(true), `"d" is forbidden`, "a permission was removed")
	now = now.Add(time.Minute)
	require.Error(t, watches.Reason(true))
	now = now.Add(time.Minute)
	require.NoError(t, watches.Reason(true), "it has not occurred again")
	watches.Failed(t.Context(), informer, apierrors.NewNotFound(corev1.Resource("secrets"), ""))
	assert.ErrorContains(t, watches.Reason(true), "*v1.Secret isn't served")
}
