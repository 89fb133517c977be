package tenant

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each annotation that the operator knows is drawn, so that no test is blind to a new one.
func TestEachAnnotationIsForged(t *testing.T) {
	files, err := filepath.Glob("../../../controllers/internal/annotation/*.go")
	require.NoError(t, err)
	forged, names := (&generator{}).forged(), 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range regexp.MustCompile(`= prefix \+ "([^"]+)"`).FindAllSubmatch(text, -1) {
			names++
			assert.Contains(t, forged, string(found[1]))
		}
	}
	assert.Greater(t, names, 20, "the package has them in another form")
}
