package main

import (
	"bytes"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// printed is what the command prints for the Dockerfile of the project.
func printed(t *testing.T, digests bool) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), "../../Dockerfile", digests, &out)
	return out.String(), err
}

func TestTheBasesAreThoseOfTheDockerfile(t *testing.T) {
	out, err := printed(t, false)
	require.NoError(t, err)
	assert.Equal(t, "GO_IMAGE=golang:1.26\nBASE_IMAGE=gcr.io/distroless/static:nonroot\n", out)
}

func TestATagBecomesADigest(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	image := strings.TrimPrefix(server.URL, "http://") + "/golang:1.26"
	tag, err := name.NewTag(image)
	require.NoError(t, err)
	require.NoError(t, remote.Write(tag, empty.Image))
	digest, err := empty.Image.Digest()
	require.NoError(t, err)

	exact := "gcr.io/distroless/static@sha256:" + strings.Repeat("ab", 32)
	t.Setenv("GO_IMAGE", image)
	t.Setenv("BASE_IMAGE", exact)
	out, err := printed(t, true)
	require.NoError(t, err)
	assert.Equal(t, "GO_IMAGE="+image+"@"+digest.String()+"\nBASE_IMAGE="+exact+"\n", out)

	t.Setenv("GO_IMAGE", image+"1")
	_, err = printed(t, true)
	require.ErrorContains(t, err, "GO_IMAGE: finding the digest of "+image+"1")
	t.Setenv("GO_IMAGE", "Golang")
	_, err = printed(t, true)
	require.ErrorContains(t, err, "GO_IMAGE: reading the name of the image")
}

func TestADockerfileWithoutBasesIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Dockerfile")
	require.ErrorContains(t, run(t.Context(), path, false, io.Discard), "reading the Dockerfile")
	require.NoError(t, os.WriteFile(path, []byte("FROM golang:1.26\n"), 0o600))
	require.ErrorContains(t, run(t.Context(), path, false, io.Discard), "no build argument")
}
