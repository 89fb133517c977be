package docs

import (
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/stretchr/testify/require"
)

// pushedTags are those under which the pages push the image that they build.
var pushedTags = []string{"dev", "next"}

// push pushes what `make image` has built to a registry. The pages build and push with one command; a compiler has no place
// inside a test's deadline, so the test pushes what was built before it began.
func push(t *testing.T, registry string) {
	t.Helper()
	index := builtImage(t)
	for _, tag := range pushedTags {
		target, err := name.ParseReference(registry+"/aero:"+tag, name.Insecure)
		require.NoError(t, err)
		require.NoError(t, remote.WriteIndex(target.(name.Tag), index, remote.WithContext(t.Context())))
	}
}

// builtImage reads the index for all platforms from bin/image.
func builtImage(t *testing.T) v1.ImageIndex {
	t.Helper()
	images, err := layout.ImageIndexFromPath(filepath.Join(root, "bin", "image"))
	require.NoError(t, err, "there is no image in bin/image: run `make image`")
	manifest, err := images.IndexManifest()
	require.NoError(t, err)
	for _, descriptor := range manifest.Manifests {
		if descriptor.MediaType.IsIndex() {
			index, err := images.ImageIndex(descriptor.Digest)
			require.NoError(t, err)
			return index
		}
	}
	require.Fail(t, "bin/image has no index for all platforms: run `make image`")
	return nil
}
