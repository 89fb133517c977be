package testenv

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func TestAWatchThatHasEndedGoesOnWhereItEnded(t *testing.T) {
	seen := watch.Event{Type: watch.Modified, Object: &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "seen", ResourceVersion: "7"}}}
	failed := watch.Event{Type: watch.Error, Object: &metav1.Status{}}
	for name, tc := range map[string]struct {
		events  []watch.Event
		expired bool // the API server doesn't have what came after 7
		since   []string
		lists   int
	}{
		"at its first":                {since: []string{"9"}, lists: 1},
		"with what it has shown last": {events: []watch.Event{seen}, since: []string{"7"}},
		"after an error":              {events: []watch.Event{seen, failed}, since: []string{"9"}, lists: 1},
		"after too long":              {events: []watch.Event{seen}, expired: true, since: []string{"7", "9"}, lists: 1},
	} {
		t.Run(name, func(t *testing.T) {
			var since []string
			lists := 0
			c := interceptor.NewClient(fake.NewClientBuilder().Build(), interceptor.Funcs{
				List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, _ ...client.ListOption) error {
					lists++
					list.SetResourceVersion("9")
					return nil
				},
				Watch: func(_ context.Context, _ client.WithWatch, _ client.ObjectList, options ...client.ListOption) (watch.Interface, error) {
					from := (&client.ListOptions{}).ApplyOptions(options).Raw.ResourceVersion
					since = append(since, from)
					if tc.expired && from == "7" {
						return nil, apierrors.NewResourceExpired("too old resource version")
					}
					return watch.NewFake(), nil
				},
			})
			f := &feed{client: c, list: &corev1.SecretList{}, namespace: "apps"}
			for _, event := range tc.events {
				f.saw(event)
			}
			_, _, err := f.open(t.Context())
			require.NoError(t, err)
			assert.Equal(t, tc.since, since)
			assert.Equal(t, tc.lists, lists)
		})
	}
}
