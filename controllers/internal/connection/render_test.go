package connection

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

var update = flag.Bool("update", false, "write the golden files")

var kafkaKind = schema.GroupVersionKind{Group: "aiven.io", Version: "v1alpha1", Kind: "Kafka"}

var kafkaOwner = Owner{GVK: kafkaKind, Namespace: "apps", Name: "events", UID: "11111111-1111-4111-8111-111111111111"}

var kafkaDetails = Info{Layout: keys(map[string]string{"HOST": "events.example.org", "PORT": "9092", "PASSWORD": "hush"}, map[string]string{"HOST": "events.example.org", "EMPTY": ""})}

func TestRenderGolden(t *testing.T) {
	cases := map[string]struct {
		target  Target
		owner   Owner
		details Info
	}{
		"plain": {
			owner: kafkaOwner, target: Target{Name: "events", Prefix: "KAFKA_"}, details: kafkaDetails,
		},
		"labelled": {
			owner: kafkaOwner,
			target: Target{
				Name: "own-name", Prefix: "K_",
				Labels:      map[string]string{"team": "red", ManagedByLabel: "the-user"},
				Annotations: map[string]string{"note": "by hand"},
			},
			details: kafkaDetails,
		},
		"long-name": {
			owner:   Owner{GVK: kafkaKind, Namespace: "apps", Name: strings.Repeat("long.", 20) + "x", UID: "2"},
			target:  Target{Name: "events", Prefix: "KAFKA_"},
			details: kafkaDetails,
		},
		"colliding-keys": {
			owner: kafkaOwner, target: Target{Name: "events", Prefix: "X_"},
			details: Info{Layout: keys(map[string]string{"HOST": "prefixed wins"}, map[string]string{"X_HOST": "legacy"})},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := yaml.Marshal(Render(tc.owner, tc.target, tc.details))
			require.NoError(t, err)
			file := filepath.Join("testdata", name+".yaml")
			if *update {
				require.NoError(t, os.WriteFile(file, got, 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got))
		})
	}
}

func TestRenderKeepsItsInput(t *testing.T) {
	target := Target{Name: "x", Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d"}}
	secret := Render(kafkaOwner, target, kafkaDetails)
	secret.Labels["a"], secret.Annotations["c"] = "changed", "changed"
	assert.Equal(t, map[string]string{"a": "b"}, target.Labels)
	assert.Equal(t, map[string]string{"c": "d"}, target.Annotations)
}

func TestLabelValueFits(t *testing.T) {
	long := strings.Repeat("a", 60)
	for _, name := range []string{"x", strings.Repeat("a", 63), long + "-bbbb", long + ".cccc", strings.Repeat("a.", 126) + "z"} {
		assert.Empty(t, validation.IsValidLabelValue(labelValue(name)), name)
	}
	assert.NotEqual(t, labelValue(long+"-bbbb"), labelValue(long+"-cccc"), "different owners have different labels")
	assert.Equal(t, strings.Repeat("a", 63), labelValue(strings.Repeat("a", 63)), "what just fits is kept")
}

func TestTargetOf(t *testing.T) {
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "events", Namespace: "apps"}}
	cases := map[string]struct {
		object *corev1.ConfigMap
		fields *v1alpha1.SecretFields
		want   Target
	}{
		"an empty target gets the name of the object and the prefix of the kind": {
			object: object, fields: &v1alpha1.SecretFields{}, want: Target{Name: "events", Prefix: "KAFKA_"},
		},
		"what the spec has is taken": {
			object: object,
			fields: &v1alpha1.SecretFields{ConnInfoSecretTarget: v1alpha1.ConnInfoSecretTarget{
				Name: "mine", Prefix: "P_", Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d"},
			}},
			want: Target{
				Name: "mine", Prefix: "P_",
				Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d"},
			},
		},
		"publishing can be turned off": {
			object: object, fields: &v1alpha1.SecretFields{ConnInfoSecretTargetDisabled: new(true)},
			want: Target{Name: "events", Prefix: "KAFKA_", Disabled: true},
		},
		"publishing can be left on explicitly": {
			object: object, fields: &v1alpha1.SecretFields{ConnInfoSecretTargetDisabled: new(false)},
			want: Target{Name: "events", Prefix: "KAFKA_"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, targetOf(tc.object, "Kafka", tc.fields))
		})
	}
}

func TestKeysHaveNoPrefixToo(t *testing.T) {
	layout := keys(map[string]string{"A": "a", "B": "b"}, nil)
	for want, names := range map[string][]string{"A": {"A"}, "A B": nil, "": {"C"}} {
		assert.ElementsMatch(t, strings.Fields(want), slices.Collect(maps.Keys(layout.Twice(names...).Legacy)), want)
	}
	assert.Len(t, layout.Prefixed, 2)
}

func TestAnAddressHasAPortOnlyWithAHost(t *testing.T) {
	assert.Equal(t, Address{"a", "9"}, AddressOf(aiven.Component{Host: "a", Port: 9}))
	assert.Equal(t, Address{}, AddressOf(aiven.Component{Port: 9}))
}

func TestAKindThatPublishesNothingHasADisabledTarget(t *testing.T) {
	target, publishes := TargetOf(&v1alpha1.Database{}, "Database", policy.Defaults{})
	assert.Equal(t, Target{Disabled: true}, target)
	assert.False(t, publishes)
	_, publishes = TargetOf(&v1alpha1.ServiceUser{}, "ServiceUser", policy.Defaults{})
	assert.True(t, publishes)
}

func TestTheRouteOfATargetIsThatOfTheObjectElseOfItsNamespace(t *testing.T) {
	user, links := &v1alpha1.ServiceUser{}, policy.Defaults{}.In(map[string]string{annotation.Route: "privatelink"})
	target, _ := TargetOf(user, "ServiceUser", links)
	assert.Equal(t, "privatelink", target.Route)
	policy.Annotate(user, annotation.Route, "dynamic")
	target, _ = TargetOf(user, "ServiceUser", links)
	assert.Equal(t, "dynamic", target.Route)
}
