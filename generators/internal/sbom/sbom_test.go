package sbom

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAChecksumBecomesHexadecimal(t *testing.T) {
	sum, err := checksum("h1://79")
	require.NoError(t, err)
	assert.Equal(t, hex.EncodeToString([]byte{0xff, 0xfe, 0xfd}), sum)
}
