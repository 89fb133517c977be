package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	memory "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/pusher"
	"sigs.k8s.io/yaml"

	"github.com/aero-operator/aero/generators/internal/compile"
)

const (
	root     = "../.."
	version  = "v1.2.3-rc.1"
	revision = "0123456789abcdef0123456789abcdef01234567"
)

var created = time.Unix(1700000000, 0).UTC()

// standIn writes what a release is made of, with files of the given age and a plugin that is quickly compiled.
func standIn(t *testing.T, age time.Duration) options {
	t.Helper()
	o := options{
		root: t.TempDir(), image: t.TempDir(), out: filepath.Join(t.TempDir(), "release"),
		version: version, revision: revision, created: created, platforms: platforms[:1],
	}
	for _, name := range []string{"charts", "config/default", "config/crd", "config/admission/opt-in"} {
		require.NoError(t, os.CopyFS(filepath.Join(o.root, name), os.DirFS(filepath.Join(root, name))))
	}
	krew, err := os.ReadFile(filepath.Join(root, "config/krew/aero.yaml"))
	require.NoError(t, err)
	first, _, found := strings.Cut(string(krew), "    - selector: {matchLabels: {os: linux, arch: arm64}}")
	require.True(t, found)
	for name, content := range map[string]string{
		"LICENSE":                  "A license\n",
		"config/krew/aero.yaml":    first,
		"go.mod":                   "module hello.test/aero\n\ngo 1.26.0\n",
		"cmd/kubectl-aero/main.go": "package main\n\nvar version = \"dev\"\n\nfunc main() { println(version) }\n",
		"../image/provenance.json": "{}\n",
		"../image/sbom.cdx.json":   "{}\n",
	} {
		path := filepath.Join(o.root, name)
		if image, ok := strings.CutPrefix(name, "../image/"); ok {
			path = filepath.Join(o.image, image)
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	index := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{Add: empty.Image})
	index = mutate.Annotations(index, map[string]string{"org.opencontainers.image.revision": revision}).(v1.ImageIndex)
	written, err := layout.Write(filepath.Join(o.image, "image"), empty.Index)
	require.NoError(t, err)
	tag := map[string]string{"org.opencontainers.image.ref.name": version}
	require.NoError(t, written.AppendIndex(index, layout.WithAnnotations(tag)))
	old := time.Now().Add(-age)
	require.NoError(t, filepath.WalkDir(o.root, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, old, old))
	}))
	return o
}

// files are those of a release, with their contents.
func files(t *testing.T, o options) map[string][]byte {
	t.Helper()
	require.NoError(t, o.release(t.Context(), "- A change.\n", io.Discard))
	entries, err := os.ReadDir(o.out)
	require.NoError(t, err)
	found := map[string][]byte{}
	for _, one := range entries {
		info, err := one.Info()
		require.NoError(t, err)
		assert.Equal(t, created, info.ModTime().UTC(), one.Name())
		found[one.Name()], err = os.ReadFile(filepath.Join(o.out, one.Name()))
		require.NoError(t, err)
	}
	return found
}

func TestAReleaseIsWholeAndTheSameForTheSameCommit(t *testing.T) {
	first := files(t, standIn(t, 0))
	var names []string
	for line := range strings.Lines(string(first[checksums])) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		names = append(names, name)
		assert.Equal(t, fmt.Sprintf("%x", sha256.Sum256(first[name])), sum, name)
	}
	assert.Equal(t, []string{
		"aero-1.2.3-rc.1.oci.tar", "aero-1.2.3-rc.1.tgz", "aero-crds-1.2.3-rc.1.oci.tar", "aero-crds-1.2.3-rc.1.tgz",
		"aero-image-v1.2.3-rc.1.oci.tar", "aero-image.cdx.json", "aero-image.provenance.json", "aero.krew.yaml", "crds.yaml", "install.yaml",
		"kubectl-aero.cdx.json", "kubectl-aero_linux_amd64.tar.gz", "notes.md", "policies.yaml",
	}, names)
	assert.Len(t, first, len(names)+1, "and the checksums")
	assert.Contains(t, string(first["notes.md"]), "- A change.\n\nImage: `ghcr.io/aero-operator/aero:"+version+"`, `sha256:")
	archive := unpacked(t, first["kubectl-aero_linux_amd64.tar.gz"])
	assert.Contains(t, string(first["aero.krew.yaml"]), fmt.Sprintf("sha256: %x\n", sha256.Sum256(first["kubectl-aero_linux_amd64.tar.gz"])))
	assert.Equal(t, "A license\n", string(archive["LICENSE"]))
	assert.Contains(t, string(archive["kubectl-aero"]), version)
	assert.Contains(t, string(first["kubectl-aero.cdx.json"]), `"stdlib"`)

	t.Setenv("TZ", "Asia/Tokyo")
	second := files(t, standIn(t, 1000*time.Hour))
	for name, content := range first {
		assert.True(t, bytes.Equal(content, second[name]), "%s: another folder, and files of another time, make another one", name)
	}
}

// unpacked are the files of a compressed tarball.
func unpacked(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	plain, err := gzip.NewReader(bytes.NewReader(content))
	require.NoError(t, err)
	found := map[string][]byte{}
	for archive := tar.NewReader(plain); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		require.NoError(t, err)
		assert.Equal(t, created, header.ModTime.UTC())
		found[header.Name], err = io.ReadAll(archive)
		require.NoError(t, err)
	}
}

func TestTheChartsHaveTheVersionAndTheImageOfTheRelease(t *testing.T) {
	o := standIn(t, 0)
	for _, name := range chartNames {
		packed, err := o.loadChart(name)
		require.NoError(t, err)
		assert.Equal(t, "1.2.3-rc.1", packed.Metadata.Version)
		assert.Equal(t, version, packed.Metadata.AppVersion)
		cloned, err := loader.LoadDir(filepath.Join(root, "charts", name))
		require.NoError(t, err)
		assert.Len(t, packed.Raw, len(cloned.Raw), "as many files as in the clone")
	}
	operator, err := o.render(nil)
	require.NoError(t, err)
	text := strings.Join(operator, "---\n")
	assert.Contains(t, text, `image: "ghcr.io/aero-operator/aero:`+version+`"`)
	assert.Contains(t, text, `app.kubernetes.io/version: "`+version+`"`)
}

func TestHelmPushGivesAChartTheDigestOfItsLayout(t *testing.T) {
	local := time.Local
	time.Local = time.UTC // Helm writes the time of the file in the zone of the machine
	t.Cleanup(func() { time.Local = local })
	o := standIn(t, 0)
	require.NoError(t, os.MkdirAll(o.out, 0o755))
	charts, err := o.writeCharts(t.Context())
	require.NoError(t, err)
	require.NoError(t, o.finish())
	server := httptest.NewServer(memory.New(memory.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	registry := strings.TrimPrefix(server.URL, "http://") + "/charts"
	push, err := pusher.NewOCIPusher(pusher.WithPlainHTTP(true))
	require.NoError(t, err)
	for _, chart := range charts {
		require.NoError(t, push.Push(filepath.Join(o.out, chart.name+"-"+chart.version+".tgz"), "oci://"+registry))
		reference, err := name.NewTag(registry+"/"+chart.name+":"+chart.version, name.Insecure)
		require.NoError(t, err)
		pushed, err := remote.Head(reference)
		require.NoError(t, err)
		assert.Equal(t, chart.digest, pushed.Digest.String(), chart.name)
	}
}

func TestTheManifestsAreWhatKubectlApplies(t *testing.T) {
	o := standIn(t, 0)
	require.NoError(t, os.MkdirAll(o.out, 0o755))
	digest := "sha256:" + strings.Repeat("ab", 32)
	require.NoError(t, o.writeManifests(digest))
	kinds := map[string]map[string]int{}
	for _, name := range []string{"install.yaml", "crds.yaml", "policies.yaml"} {
		content, err := os.ReadFile(filepath.Join(o.out, name))
		require.NoError(t, err)
		assert.NotRegexp(t, `Helm"|helm\.sh`, string(content), "no label and no annotation is for Helm: %s", name)
		kinds[name] = map[string]int{}
		for document := range strings.SplitSeq(string(content), "\n---\n") {
			var object struct{ Kind string }
			require.NoError(t, yaml.Unmarshal([]byte(document), &object), document)
			require.NotEmpty(t, object.Kind, document)
			kinds[name][object.Kind]++
		}
	}
	crds, err := filepath.Glob(filepath.Join(root, "config/crd/bases/*.yaml"))
	require.NoError(t, err)
	assert.Equal(t, len(crds), kinds["crds.yaml"]["CustomResourceDefinition"])
	assert.Equal(t, len(crds), kinds["install.yaml"]["CustomResourceDefinition"])
	assert.Equal(t, 1, kinds["install.yaml"]["Namespace"])
	assert.Equal(t, 1, kinds["install.yaml"]["Deployment"])
	assert.Positive(t, kinds["policies.yaml"]["ValidatingAdmissionPolicy"])
	install, err := os.ReadFile(filepath.Join(o.out, "install.yaml"))
	require.NoError(t, err)
	assert.Contains(t, string(install), `image: "ghcr.io/aero-operator/aero@`+digest+`"`)
}

func TestAnArchiveForWindowsIsAZipWithAnExe(t *testing.T) {
	o := options{created: created}
	name, content, err := o.archive(compile.Program{Platform: v1.Platform{OS: "windows", Architecture: "amd64"}, Binary: []byte("a program")}, []byte("A license\n"))
	require.NoError(t, err)
	assert.Equal(t, "kubectl-aero_windows_amd64.zip", name)
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	require.Len(t, archive.File, 2)
	assert.Equal(t, "LICENSE", archive.File[0].Name)
	assert.Equal(t, "kubectl-aero.exe", archive.File[1].Name)
	assert.Equal(t, fs.FileMode(0o755), archive.File[1].Mode())
	assert.Equal(t, created, archive.File[1].Modified.UTC())
}

func TestTheManifestForKrewNamesEachPlatform(t *testing.T) {
	template, err := os.ReadFile(filepath.Join(root, "config/krew/aero.yaml"))
	require.NoError(t, err)
	for _, p := range platforms {
		assert.Contains(t, string(template), checksumField(p))
		extension := ".tar.gz"
		if p.OS == "windows" {
			extension = ".zip"
		}
		assert.Contains(t, string(template), "/releases/download/${VERSION}/"+plugin+"_"+p.OS+"_"+p.Architecture+extension)
	}
	o := standIn(t, 0)
	require.ErrorContains(t, o.writeKrew([]string{"${VERSION}", version}), "${SHA256_LINUX_AMD64}, which no archive")
}

func TestTheImageOfAnotherVersionOrCommitIsRefused(t *testing.T) {
	for name, change := range map[string]func(*options){
		"another version": func(o *options) { o.version = "v1.2.4" },
		"another commit":  func(o *options) { o.revision = strings.Repeat("ab", 20) },
	} {
		t.Run(name, func(t *testing.T) {
			o := standIn(t, 0)
			change(&o)
			require.ErrorIs(t, o.release(t.Context(), "", io.Discard), errNotBuilt)
			assert.NoFileExists(t, o.out)
			assert.NoFileExists(t, o.out+".partial")
		})
	}
}

func TestWhatCanNotBeReleasedIsRefusedWithARemedy(t *testing.T) {
	folder, commit := committed(t)
	for name, test := range map[string]struct{ version, revision, created, refused string }{
		"a release":                   {"v1.0.0", commit, epoch, ""},
		"no version":                  {"", commit, epoch, "set VERSION to one such as v1.2.3"},
		"a version without a v":       {"1.0.0", commit, epoch, `"1.0.0" isn't the version of a release`},
		"half a version":              {"v1.0", commit, epoch, `"v1.0"`},
		"what git describe says":      {"v1.0.0-3-gabcdef-dirty", commit, epoch, "the top entry of CHANGELOG.md is 1.0.0"},
		"a version that can't be tag": {"v1.0.0+more", commit, epoch, `"v1.0.0+more"`},
		"a version without changes":   {"v1.0.1", commit, epoch, "the top entry of CHANGELOG.md is 1.0.0: set VERSION to it"},
		"another commit":              {"v1.0.0", revision, epoch, "leave REVISION out"},
		"no time":                     {"v1.0.0", commit, "", "set SOURCE_DATE_EPOCH"},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t.Context(), []string{
				"--check", "--root", folder, "--version", test.version, "--revision", test.revision, "--created", test.created,
			}, io.Discard)
			if test.refused == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.refused)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

// epoch is the time of the commit of committed.
const epoch = "1700000000"

// committed makes a clone with a changelog, and returns its commit.
func committed(t *testing.T) (folder, commit string) {
	t.Helper()
	folder = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "CHANGELOG.md"), []byte("## [1.0.0] - 2026-11-24\n\n- New.\n"), 0o644))
	t.Setenv("GIT_COMMITTER_DATE", "@"+epoch+" +0000")
	for _, args := range [][]string{
		{"init", "--quiet"}, {"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message=First"}, {"rev-parse", "HEAD"},
	} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = folder
		output, err := cmd.CombinedOutput()
		require.NoError(t, err, string(output))
		commit = strings.TrimSpace(string(output))
	}
	return folder, commit
}
