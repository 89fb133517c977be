package kstatus

import (
	"testing"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	"github.com/fluxcd/pkg/runtime/cel"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// states are what Flux has to see where Ready has a status.
var states = map[string]kstatus.Status{
	"True": kstatus.CurrentStatus, "False": kstatus.FailedStatus, "Unknown": kstatus.InProgressStatus,
}

// kustomization is the one in the page.
func kustomization(t *testing.T) (k kustomizev1.Kustomization) {
	t.Helper()
	require.NoError(t, yaml.UnmarshalStrict(manifest(t, kustomizev1.GroupVersion.String(), kustomizev1.KustomizationKind), &k))
	return k
}

func TestFluxSeesReadyOfEachRowByTheExpressions(t *testing.T) {
	makeReader, err := cel.NewStatusReader(kustomization(t).Spec.HealthCheckExprs)
	require.NoError(t, err)
	reader := makeReader(nil)
	for _, r := range append(goldenRows(t), fresh, edited, paused) {
		t.Run(r.Situation, func(t *testing.T) {
			want := kstatus.InProgressStatus
			if r.Status["observedGeneration"] == r.Generation {
				want = states[conditionOf(r, "Ready")["status"].(string)]
			}
			obj := objectWith(r)
			require.True(t, reader.Supports(obj.GroupVersionKind().GroupKind()))
			seen, err := reader.ReadStatusForObject(t.Context(), nil, obj)
			require.NoError(t, err)
			require.NoError(t, seen.Error)
			assert.Equal(t, want, seen.Status)
		})
	}
	assert.False(t, reader.Supports(schema.GroupKind{Group: "apps", Kind: "Deployment"}))
}

func TestThePageNamesWhatKeepsFluxFromDeleting(t *testing.T) {
	text := page(t)
	assert.Contains(t, text, "`"+kustomizev1.GroupVersion.Group+"/prune: "+kustomizev1.DisabledValue+"`")
	assert.Contains(t, text, "`spec.deletionPolicy: "+kustomizev1.DeletionPolicyOrphan+"`")
}
