package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/generators/internal/compile"
)

const root = "../.."

// info is what the go tool writes into a program.
func info(deps ...*debug.Module) *debug.BuildInfo {
	return &debug.BuildInfo{GoVersion: "go1.26.8 X:someexperiment", Main: debug.Module{Path: "hello.test/manager", Version: "(devel)"}, Deps: deps}
}

// list makes an SBOM and reads it, by the names of the components.
func list(t *testing.T, infos ...*debug.BuildInfo) (*cdx.BOM, map[string]cdx.Component) {
	t.Helper()
	r := release{version: version, revision: revision, created: time.Unix(1700000000, 0).UTC()}
	subject := v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("ab", 32)}
	document, err := newSBOM(r, subject, infos...)
	require.NoError(t, err)
	return read(t, document)
}

func read(t *testing.T, document []byte) (*cdx.BOM, map[string]cdx.Component) {
	t.Helper()
	bom := new(cdx.BOM)
	require.NoError(t, cdx.NewBOMDecoder(bytes.NewReader(document), cdx.BOMFileFormatJSON).Decode(bom))
	found := map[string]cdx.Component{}
	for _, one := range *bom.Components {
		assert.NotContains(t, found, one.Name, "listed twice")
		found[one.Name] = one
	}
	return bom, found
}

func TestTheSBOMOfTheManagerHasTheVersionsOfGoMod(t *testing.T) {
	path := filepath.Join(t.TempDir(), "manager")
	// As make build does it, with which it shares what is compiled.
	cmd := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-ldflags", "-s -w", "-o", path, ".")
	cmd.Dir = root
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, string(output))
	manager, err := compile.Load(v1.Platform{}, path)
	require.NoError(t, err)
	_, found := list(t, manager.Info)

	require.Contains(t, found, "github.com/aero-operator/aero")
	assert.Equal(t, version, found["github.com/aero-operator/aero"].Version)
	required := requirements(t)
	for name, one := range found {
		if want, ok := required[name]; ok {
			assert.Equal(t, want, one.Version, name)
		}
	}
	for _, name := range []string{"sigs.k8s.io/controller-runtime", "k8s.io/client-go", "github.com/aiven/go-client-codegen"} {
		require.Contains(t, required, name)
		require.Contains(t, found, name)
		assert.Equal(t, "pkg:golang/"+name+"@"+required[name], found[name].PackageURL)
	}
	require.Contains(t, required, "go.uber.org/mock")
	_, listed := found["go.uber.org/mock"]
	assert.False(t, listed, "the tests require it, and it is no part of the program")
}

// requirements has the versions of the manager's go.mod.
func requirements(t *testing.T) map[string]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	found := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`).FindAllStringSubmatch(string(content), -1) {
		found[line[1]] = line[2]
	}
	return found
}

func TestTheSBOMHasWhatScannersRead(t *testing.T) {
	bom, found := list(t, info(
		&debug.Module{Path: "example.com/plain", Version: "v1.0.0", Sum: "h1:" + "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
		&debug.Module{Path: "example.com/old", Version: "v2.0.0+incompatible"},
		&debug.Module{Path: "example.com/replaced", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v1.0.1"}},
	))
	urls := map[string]string{}
	for name, one := range found {
		urls[name] = one.PackageURL
	}
	certificates := found[certificatesModule]
	assert.Equal(t, cdx.ComponentTypeData, certificates.Type)
	assert.Regexp(t, `^v0\.0\.0-\d{14}-`, certificates.Version, "the one of our go.mod")
	assert.Equal(t, map[string]string{
		"hello.test/manager": "pkg:golang/hello.test/manager@" + version,
		"stdlib":             "pkg:golang/stdlib@1.26.8",
		"example.com/plain":  "pkg:golang/example.com/plain@v1.0.0",
		"example.com/old":    "pkg:golang/example.com/old@v2.0.0%2Bincompatible",
		"example.com/fork":   "pkg:golang/example.com/fork@v1.0.1",
		certificatesModule:   "pkg:golang/" + certificatesModule + "@" + certificates.Version,
	}, urls)
	hashes := *found["example.com/plain"].Hashes
	assert.Equal(t, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", hashes[0].Value)
	assert.Equal(t, cdx.ComponentTypeContainer, bom.Metadata.Component.Type)
	assert.Equal(t, version, bom.Metadata.Component.Version)
	assert.Equal(t, "2023-11-14T22:13:20Z", bom.Metadata.Timestamp)
	assert.Equal(t, cdx.SpecVersion1_6, bom.SpecVersion)
}

func TestTheSBOMOfSeveralProgramsListsAModuleOnce(t *testing.T) {
	both := &debug.Module{Path: "example.com/both", Version: "v1.0.0"}
	_, found := list(t, info(both), info(&debug.Module{Path: "example.com/one", Version: "v1.0.0"}, both))
	assert.Contains(t, found, "example.com/both")
	assert.Contains(t, found, "example.com/one")
}

func TestAModuleWithABrokenChecksumIsNamed(t *testing.T) {
	_, err := newSBOM(release{}, v1.Hash{}, info(&debug.Module{Path: "example.com/broken", Version: "v1.0.0", Sum: "h1:?"}))
	require.ErrorContains(t, err, "example.com/broken")
}

func TestEachSBOMRefersToItsImage(t *testing.T) {
	out := once(t)
	index, attached := open(t, out)
	subjects := map[string]string{}
	digest, err := index.Digest()
	require.NoError(t, err)
	subjects["index"] = digest.String()
	for platform, one := range images(t, index) {
		digest, err := one.Digest()
		require.NoError(t, err)
		subjects[platform] = digest.String()
	}
	var found []string
	for _, descriptor := range ofType(attached, sbomType) {
		manifest, err := v1.ParseManifest(blob(t, out, descriptor.Digest))
		require.NoError(t, err)
		assert.Equal(t, sbomType, manifest.ArtifactType)
		assert.Equal(t, "{}", readAll(t, blob(t, out, manifest.Config.Digest)))
		require.Len(t, manifest.Layers, 1)
		assert.Equal(t, "sbom.cdx.json", manifest.Layers[0].Annotations["org.opencontainers.image.title"])
		bom, components := read(t, []byte(readAll(t, blob(t, out, manifest.Layers[0].Digest))))
		assert.Contains(t, components, "hello.test/manager")
		assert.Equal(t, manifest.Subject.Digest.String(), bom.Metadata.Component.BOMRef)
		found = append(found, manifest.Subject.Digest.String())
	}
	assert.ElementsMatch(t, []string{subjects["index"], subjects["linux/amd64"], subjects["linux/arm64"]}, found)
}

// blob reads a file of the layout, and checks that it is what its name says.
func blob(t *testing.T, out string, digest v1.Hash) io.Reader {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(out, "image", "blobs", digest.Algorithm, digest.Hex))
	require.NoError(t, err)
	actual, _, err := v1.SHA256(bytes.NewReader(content))
	require.NoError(t, err)
	assert.Equal(t, digest, actual)
	return bytes.NewReader(content)
}

func readAll(t *testing.T, reader io.Reader) string {
	t.Helper()
	content, err := io.ReadAll(reader)
	require.NoError(t, err)
	return string(content)
}
