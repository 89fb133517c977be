package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	slsa "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/aero-operator/aero/generators/internal/compile"
)

// provenance reads what was written, as a program that knows the format does.
func provenance(t *testing.T, document []byte) (*intoto.Statement, *slsa.Provenance) {
	t.Helper()
	statement, predicate := new(intoto.Statement), new(slsa.Provenance)
	require.NoError(t, protojson.Unmarshal(document, statement))
	require.NoError(t, statement.Validate())
	raw, err := protojson.Marshal(statement.GetPredicate())
	require.NoError(t, err)
	require.NoError(t, protojson.Unmarshal(raw, predicate))
	require.NoError(t, predicate.Validate())
	return statement, predicate
}

func TestTheProvenanceIsAboutEveryImageAndNamesWhatTheyAreMadeOf(t *testing.T) {
	module := standIn(t, 0)
	require.NoError(t, os.WriteFile(filepath.Join(module, "go.sum"), []byte("pinned"), 0o644))
	out := build(t, module, "--builder", "https://ci.example.com/builds")
	document, err := os.ReadFile(filepath.Join(out, "provenance.json"))
	require.NoError(t, err)
	statement, predicate := provenance(t, document)
	assert.Equal(t, "https://slsa.dev/provenance/v1", statement.GetPredicateType())

	index, attached := open(t, out)
	digest, err := index.Digest()
	require.NoError(t, err)
	want := map[string]string{"aero": digest.Hex}
	for platform, one := range images(t, index) {
		digest, err := one.Digest()
		require.NoError(t, err)
		want["aero for "+platform] = digest.Hex
	}
	subjects := map[string]string{}
	for _, one := range statement.GetSubject() {
		subjects[one.GetName()] = one.GetDigest()["sha256"]
	}
	assert.Equal(t, want, subjects)

	goMod, err := os.ReadFile(filepath.Join(module, "go.mod"))
	require.NoError(t, err)
	materials := map[string]map[string]string{}
	for _, one := range predicate.GetBuildDefinition().GetResolvedDependencies() {
		name, _, _ := strings.Cut(one.GetName()+one.GetUri(), "@")
		materials[name] = one.GetDigest()
	}
	require.Contains(t, materials, "pkg:golang/stdlib")
	certificates := materials["pkg:golang/"+certificatesModule]
	assert.Len(t, certificates["dirHash"], 64)
	assert.Equal(t, map[string]map[string]string{
		"git+https://github.com/aero-operator/aero": {"gitCommit": revision},
		"go.mod":                           {"sha256": fmt.Sprintf("%x", sha256.Sum256(goMod))},
		"go.sum":                           {"sha256": fmt.Sprintf("%x", sha256.Sum256([]byte("pinned")))},
		"pkg:golang/stdlib":                nil,
		"pkg:golang/" + certificatesModule: certificates,
	}, materials)

	assert.Equal(t, "https://ci.example.com/builds", predicate.GetRunDetails().GetBuilder().GetId())
	assert.Nil(t, predicate.GetRunDetails().GetMetadata(), "no time and no number of the build")
	assert.Equal(t, map[string]any{
		"version": version, "platforms": []any{"linux/amd64", "linux/arm64"}, "sourceDateEpoch": created,
	}, predicate.GetBuildDefinition().GetExternalParameters().AsMap())
	settings := predicate.GetBuildDefinition().GetInternalParameters().AsMap()["settings"].(map[string]any)
	assert.Equal(t, "0", settings["linux/arm64"].(map[string]any)["CGO_ENABLED"])

	manifest, err := v1.ParseManifest(blob(t, out, ofType(attached, provenanceType)[0].Digest))
	require.NoError(t, err)
	assert.Equal(t, digest, manifest.Subject.Digest)
	assert.Equal(t, string(document), readAll(t, blob(t, out, manifest.Layers[0].Digest)))
}

func TestAReleaseIsMadeOfItsCommitAlone(t *testing.T) {
	module := standIn(t, 0)
	git := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-C", module}, args...)...)
		output, err := cmd.CombinedOutput()
		require.NoError(t, err, string(output))
		return strings.TrimSpace(string(output))
	}
	git("init", "--quiet")
	git("add", ".")
	t.Setenv("GIT_COMMITTER_DATE", "@"+created+" +0000")
	git("commit", "--quiet", "--no-gpg-sign", "--message", "first")
	flags := []string{"--release", "--platforms", "linux/amd64"}
	release := func(revision string) error {
		return run(t.Context(), arguments(module, t.TempDir(), append(flags, "--revision", revision)...), io.Discard)
	}
	head := git("rev-parse", "HEAD")
	require.NoError(t, release(head))
	require.ErrorContains(t, release(revision), "--release: the clone is at "+head)
	require.NoError(t, os.WriteFile(filepath.Join(module, "more.go"), []byte("package main\n"), 0o644))
	require.ErrorContains(t, release(head), "differs from its commit in 1 files")
}

func TestAProvenanceThatCanNotBeMeantIsNotWritten(t *testing.T) {
	o := options{release: release{version: version, revision: "main"}, builder: "https://ci.example.com", module: t.TempDir()}
	_, err := newProvenance(o, small(t), []compile.Program{{Platform: platforms[0], Info: info()}})
	require.ErrorContains(t, err, "checking the provenance")
	o.release.revision = revision
	document, err := newProvenance(o, small(t), []compile.Program{{Platform: platforms[0], Info: info()}})
	require.NoError(t, err)
	assert.True(t, json.Valid(document))
	assert.True(t, bytes.HasSuffix(document, []byte("}\n")))
}
