package main

import (
	"archive/tar"
	"bytes"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/generators/internal/compile"
)

const (
	version  = "v1.2.3"
	revision = "0123456789abcdef0123456789abcdef01234567"
	created  = "1700000000" // 2023-11-14T22:13:20Z
)

// standIn writes a module whose program is quickly compiled, with files of the given age.
func standIn(t *testing.T, age time.Duration) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":  "module hello.test/manager\n\ngo 1.26.0\n",
		"main.go": "package main\n\nvar version = \"dev\"\n\nfunc main() { println(version) }\n",
	} {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
	}
	return folder
}

// arguments is a command line that builds a module into a folder.
func arguments(module, out string, more ...string) []string {
	return append([]string{"--module", module, "--out", out, "--version", version, "--revision", revision, "--created", created}, more...)
}

// build makes an image of a module, and returns the folder of what was written.
func build(t *testing.T, module string, more ...string) string {
	t.Helper()
	out := t.TempDir()
	require.NoError(t, run(t.Context(), arguments(module, out, more...), io.Discard))
	return out
}

// once builds the stand-in for both platforms, for all tests that only read what was written.
func once(t *testing.T) string {
	t.Helper()
	onlyOnce.Do(func() {
		require.NoError(t, run(t.Context(), arguments(standIn(t, 0), onlyFolder), io.Discard))
	})
	return onlyFolder
}

var (
	onlyOnce   sync.Once
	onlyFolder string
)

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "aero-image-")
	if err != nil {
		log.Fatal(err)
	}
	onlyFolder = folder
	code := m.Run()
	if err := os.RemoveAll(folder); err != nil {
		log.Fatal(err)
	}
	os.Exit(code)
}

// open reads the layout: its index of platforms, and the descriptors of what is attached to images.
func open(t *testing.T, out string) (v1.ImageIndex, []v1.Descriptor) {
	t.Helper()
	root, err := layout.ImageIndexFromPath(filepath.Join(out, "image"))
	require.NoError(t, err)
	manifest, err := root.IndexManifest()
	require.NoError(t, err)
	require.NotEmpty(t, manifest.Manifests)
	assert.Equal(t, version, manifest.Manifests[0].Annotations["org.opencontainers.image.ref.name"])
	index, err := root.ImageIndex(manifest.Manifests[0].Digest)
	require.NoError(t, err)
	return index, manifest.Manifests[1:]
}

// ofType are the descriptors of documents of a type.
func ofType(attached []v1.Descriptor, documentType string) []v1.Descriptor {
	return slices.DeleteFunc(slices.Clone(attached), func(d v1.Descriptor) bool { return d.ArtifactType != documentType })
}

// images returns the image of each platform of an index.
func images(t *testing.T, index v1.ImageIndex) map[string]v1.Image {
	t.Helper()
	manifest, err := index.IndexManifest()
	require.NoError(t, err)
	found := map[string]v1.Image{}
	for _, one := range manifest.Manifests {
		require.NotNil(t, one.Platform)
		found[one.Platform.String()], err = index.Image(one.Digest)
		require.NoError(t, err)
	}
	return found
}

// entry is a file or a folder of a layer.
type entry struct {
	header  *tar.Header
	content []byte
}

// entries unpacks all layers of an image.
func entries(t *testing.T, one v1.Image) map[string]entry {
	t.Helper()
	layers, err := one.Layers()
	require.NoError(t, err)
	found := map[string]entry{}
	for _, layer := range layers {
		reader, err := layer.Uncompressed()
		require.NoError(t, err)
		for archive := tar.NewReader(reader); ; {
			header, err := archive.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			content, err := io.ReadAll(archive)
			require.NoError(t, err)
			found[header.Name] = entry{header: header, content: content}
		}
		require.NoError(t, reader.Close())
	}
	return found
}

func TestTheLayoutHasBothPlatformsAndIsWhole(t *testing.T) {
	index, attached := open(t, once(t))
	require.NoError(t, validate.Index(index))
	manifest, err := index.IndexManifest()
	require.NoError(t, err)
	assert.Equal(t, types.OCIImageIndex, manifest.MediaType)
	assert.Equal(t, version, manifest.Annotations["org.opencontainers.image.version"])
	assert.Len(t, manifest.Manifests, 2)
	assert.Len(t, ofType(attached, sbomType), 3, "one for each platform, and one for the index")
	assert.Len(t, ofType(attached, provenanceType), 1)
	assert.Len(t, attached, 4)
	for platform, one := range images(t, index) {
		config, err := one.ConfigFile()
		require.NoError(t, err)
		assert.Equal(t, platform, config.OS+"/"+config.Architecture)
		manifest, err := one.Manifest()
		require.NoError(t, err)
		assert.Equal(t, types.OCIManifestSchema1, manifest.MediaType)
		assert.Equal(t, types.OCIConfigJSON, manifest.Config.MediaType)
		assert.Equal(t, revision, manifest.Annotations["org.opencontainers.image.revision"])
		for _, layer := range manifest.Layers {
			assert.Equal(t, types.OCILayer, layer.MediaType)
		}
	}
}

func TestTheConfigRunsTheManagerWithoutRoot(t *testing.T) {
	config, err := small(t).platforms["linux/amd64"].ConfigFile()
	require.NoError(t, err)
	assert.Equal(t, "65532:65532", config.Config.User)
	assert.Equal(t, []string{"/manager"}, config.Config.Entrypoint)
	assert.Empty(t, config.Config.Cmd)
	assert.Equal(t, "/", config.Config.WorkingDir)
	assert.Equal(t, []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt",
	}, config.Config.Env)
	assert.Equal(t, map[string]string{
		"org.opencontainers.image.title":       "aero",
		"org.opencontainers.image.description": "Kubernetes operator for Aiven",
		"org.opencontainers.image.source":      "https://github.com/aero-operator/aero",
		"org.opencontainers.image.version":     version,
		"org.opencontainers.image.revision":    revision,
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.created":     "2023-11-14T22:13:20Z",
	}, config.Config.Labels)
	assert.Equal(t, time.Unix(1700000000, 0).UTC(), config.Created.UTC())
	assert.Len(t, config.History, 2, "one for each layer")
}

func TestTheImageHoldsTheProgramAndTheCertificatesOfRoot(t *testing.T) {
	certificates, err := certificates()
	require.NoError(t, err)
	programs := []compile.Program{
		{Platform: platforms[0], Binary: []byte("the program for amd64"), Info: info()},
		{Platform: platforms[1], Binary: []byte("the program for arm64"), Info: info()},
	}
	built, err := assemble(release{version: version, revision: revision}, programs)
	require.NoError(t, err)
	for _, p := range programs {
		found := entries(t, built.platforms[p.Platform.String()])
		for name, want := range map[string]struct {
			mode    int64
			content []byte
		}{
			"manager":                           {0o755, p.Binary},
			"etc/":                              {0o755, []byte{}},
			"etc/ssl/":                          {0o755, []byte{}},
			"etc/ssl/certs/":                    {0o755, []byte{}},
			"etc/ssl/certs/ca-certificates.crt": {0o644, certificates},
		} {
			require.Contains(t, found, name)
			header := found[name].header
			assert.Equal(t, want.mode, header.Mode, name)
			assert.Equal(t, want.content, found[name].content, name)
			assert.Zero(t, header.Uid, name)
			assert.Zero(t, header.Gid, name)
			assert.Equal(t, int64(0), header.ModTime.Unix(), name)
		}
		assert.Len(t, found, 5, "and nothing else")
	}
}

func TestTheProgramIsStaticAndKnowsItsVersion(t *testing.T) {
	index, _ := open(t, once(t))
	for platform, one := range images(t, index) {
		path := filepath.Join(t.TempDir(), "manager")
		require.NoError(t, os.WriteFile(path, entries(t, one)["manager"].content, 0o755))
		loaded, err := compile.Load(v1.Platform{}, path)
		require.NoError(t, err)
		settings := map[string]string{}
		for _, setting := range loaded.Info.Settings {
			settings[setting.Key] = setting.Value
		}
		assert.Equal(t, "0", settings["CGO_ENABLED"])
		assert.Equal(t, "true", settings["-trimpath"])
		assert.Equal(t, platform, settings["GOOS"]+"/"+settings["GOARCH"])
		assert.Contains(t, string(loaded.Binary), version)
	}
}

func TestTheCertificatesAreThoseThatGoTrustsWithoutConditions(t *testing.T) {
	certificates, err := certificates()
	require.NoError(t, err)
	assert.True(t, x509.NewCertPool().AppendCertsFromPEM(certificates))
	assert.Greater(t, bytes.Count(certificates, []byte("BEGIN CERTIFICATE")), 100)
	assert.Contains(t, string(certificates), "MIIFazCCA1OgAwIBAgIRAIIQz7DSQONZRGPgu2OCiwAwDQYJKoZIhvcNAQELBQAw",
		"ISRG Root X1, which has signed that of Let's Encrypt")
}

func TestTheTarballIsTheImageForThisMachine(t *testing.T) {
	out := once(t)
	index, _ := open(t, out)
	machine := "linux/" + runtime.GOARCH
	one, err := tarball.ImageFromPath(filepath.Join(out, "image.tar"), nil)
	require.NoError(t, err)
	got, err := one.ConfigName()
	require.NoError(t, err)
	want, err := images(t, index)[machine].ConfigName()
	require.NoError(t, err)
	assert.Equal(t, want, got)
	manifest, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(filepath.Join(out, "image.tar")) })
	require.NoError(t, err)
	assert.Equal(t, []string{"aero:" + version}, manifest[0].RepoTags)

	other := map[string]string{"linux/amd64": "linux/arm64", "linux/arm64": "linux/amd64"}[machine]
	module, out := standIn(t, 0), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(out, "image.tar"), []byte("an older image"), 0o644))
	require.NoError(t, run(t.Context(), arguments(module, out, "--platforms", other), io.Discard))
	assert.NoFileExists(t, filepath.Join(out, "image.tar"), "there is none for this machine, and the old one is another image")
}

func TestNothingIsLeftBesideTheImage(t *testing.T) {
	module := standIn(t, 0)
	machine := "linux/" + runtime.GOARCH
	out := build(t, module, "--platforms", machine)
	require.NoError(t, run(t.Context(), arguments(module, out, "--platforms", machine), io.Discard))
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	var names []string
	for _, one := range entries {
		names = append(names, one.Name())
	}
	assert.Equal(t, []string{"image", "image.tar", "provenance.json", "sbom.cdx.json"}, names)
}
