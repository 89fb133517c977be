package export

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/api/v1alpha1"
)

func TestAManifestMeansTheObjectOrIsLeftOut(t *testing.T) {
	for text, fits := range map[string]bool{
		"a: b\n---\nkind: Secret\n# c": true, "yes": true, "1_000": true, "0x1f": true, "{{ x }}": true, "größe 😀": true, "\x1b[31m": true, "&a *a !!int": true,
		"\u0085": false, "a\u009bb": false, "\x7f": false,
	} {
		pg := &v1alpha1.PostgreSQL{}
		pg.Spec.Tags = map[string]string{"tag": text}
		manifest, err := (&exporter{}).write(&draft{obj: pg, what: "service pg", notes: []Note{{"service pg: x\n---\ny", text}}})
		if !fits {
			assert.ErrorContains(t, err, "YAML", "%q", text)
			assert.Empty(t, manifest)
			continue
		}
		require.NoError(t, err, "%q", text)
		var back v1alpha1.PostgreSQL
		require.NoError(t, yaml.UnmarshalStrict(manifest.YAML, &back), "%q", text)
		assert.Equal(t, pg.Spec, back.Spec)
	}
	merge := &v1alpha1.PostgreSQL{}
	merge.Spec.Tags = map[string]string{"<<": "x"}
	_, err := (&exporter{}).write(&draft{obj: merge})
	assert.ErrorContains(t, err, "YAML", "it would end a stream of manifests")
}
