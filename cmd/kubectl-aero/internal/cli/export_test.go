package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/controllers/export"
)

func TestFilesOfAnExportStayInTheirDirectoryAndHaveNamesThatFit(t *testing.T) {
	t.Parallel()
	directory := filepath.Join(t.TempDir(), "out")
	long := strings.Repeat("a", 250)
	require.NoError(t, writeFiles(directory, []export.Manifest{
		{Kind: "KafkaACL", Name: long + "-b", Service: "my-kafka", YAML: []byte("1")},
		{Kind: "KafkaACL", Name: long + "-c", Service: "my-kafka", YAML: []byte("2")},
		{Kind: "ProjectVPC", Name: "vpc", YAML: []byte("3")},
	}))
	files, err := os.ReadDir(filepath.Join(directory, "my-kafka"))
	require.NoError(t, err)
	assert.Len(t, files, 2)
	assert.FileExists(t, filepath.Join(directory, "_project", "projectvpc-vpc.yaml"))
	assert.Error(t, emptyFolder(directory))
	assert.Error(t, writeFiles(directory, []export.Manifest{{Kind: "Kafka", Name: "x", Service: "../../other"}}))
	assert.NoDirExists(t, filepath.Join(directory, "..", "..", "other"))
}
