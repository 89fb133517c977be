package connection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/aero-operator/aero/controllers/internal/condition"
)

func TestWhatIsLostSaysWhy(t *testing.T) {
	once := Info{Layout: keys(map[string]string{"PASSWORD": Missing}, nil), Keep: []string{"PASSWORD"}}
	hidden := Info{Layout: keys(map[string]string{"PASSWORD": "<redacted>"}, nil)}
	target := Target{Name: "app", Published: true}
	theirs := func(changes ...func(*Target)) Target {
		changed := target
		for _, change := range changes {
			change(&changed)
		}
		return changed
	}
	for name, tc := range map[string]struct {
		target   Target
		withheld Withheld
		exists   bool
		want     string
	}{
		"no Secret is wanted":                    {target: theirs(func(t *Target) { t.Disabled = true }), withheld: Withheld{Details: hidden}},
		"nothing was published":                  {target: theirs(func(t *Target) { t.Published = false }), withheld: Withheld{Details: hidden}},
		"the Secret is there":                    {target: target, withheld: Withheld{Details: hidden}, exists: true},
		"the Secret is gone":                     {target: target, withheld: Withheld{Details: hidden}, want: "Secret app does not exist"},
		"a password that will be reset":          {target: target, withheld: Withheld{Details: once}},
		"a password that a policy doesn't reset": {target: target, withheld: Withheld{Details: once, Left: condition.ReasonReportOnly}, want: "drift-policy or "},
		"a password of what was taken over":      {target: target, withheld: Withheld{Details: once, Left: condition.ReasonTakenOver}, want: "Edit the spec"},
		"a password that can't be published": {target: target, withheld: Withheld{
			Details: once, Left: condition.ReasonReportOnly, Published: Published{Problem: errDisabled},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			builder := fake.NewClientBuilder()
			if tc.exists {
				builder = builder.WithObjects(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "app"}})
			}
			owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "owner"}}
			got, err := Publisher{Reader: builder.Build()}.Lost(t.Context(), owner, tc.target, tc.withheld)
			require.NoError(t, err)
			if tc.want == "" {
				assert.Empty(t, got)
			}
			assert.Contains(t, got, tc.want)
		})
	}
}
