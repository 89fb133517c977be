package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAKindLinksTheGuidesThatNameIt(t *testing.T) {
	root := repository(t)
	folder := filepath.Join(root, guidesFolder)
	require.NoError(t, os.MkdirAll(folder, 0o755))
	for name, text := range map[string]string{
		"README.md":   "# Guides\n\n`Thing`\n",
		"code.md":     "# In code\n\nA `Thing` is one.\n",
		"manifest.md": "# In a manifest\n\n```yaml\nkind: Thing\n```\n",
		"command.md":  "# In a command\n\n```sh\nkubectl -n apps wait --for=condition=Ready thing/my-thing\n```\n",
		"others.md":   "# Of others\n\n`Things` and Thing, kind: ThingTwo\n\n```sh\nkubectl get things my-thing\n```\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	guides, err := readGuides(root)
	require.NoError(t, err)
	kinds, err := readKinds(root)
	require.NoError(t, err)
	kinds[0].complete(sources{guides: guides})
	assert.Equal(t, "Guides: [In code](../guides/code.md), [In a command](../guides/command.md), [In a manifest](../guides/manifest.md)\n\n", kinds[0].guidesLine())
	kinds[0].complete(sources{})
	assert.Empty(t, kinds[0].guidesLine())
}
