package main

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/generators/internal/compile"
)

// serve starts a server on loopback, and returns its address without the scheme.
func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func TestWhatIsPushedIsPulledAgain(t *testing.T) {
	for name, knowsReferrers := range map[string]bool{
		"from a registry that lists referrers":    true,
		"from a registry that knows only of tags": false,
	} {
		t.Run(name, func(t *testing.T) {
			host := serve(t, registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithReferrersSupport(knowsReferrers)))
			target := host + "/team/aero:v1"
			var said bytes.Buffer
			out := t.TempDir()
			require.NoError(t, run(t.Context(), arguments(standIn(t, 0), out, "--push", target), &said))
			written, _ := open(t, out)
			want, err := written.Digest()
			require.NoError(t, err)
			assert.Contains(t, said.String(), "pushed "+target+"@"+want.String()+"\n")

			tag := parseTag(t, target)
			pulled, err := remote.Index(tag)
			require.NoError(t, err)
			require.NoError(t, validate.Index(pulled))
			got, err := pulled.Digest()
			require.NoError(t, err)
			assert.Equal(t, want, got)
			assertDescribed(t, tag.Digest(got.String()), provenanceType)
			for _, one := range images(t, pulled) {
				digest, err := one.Digest()
				require.NoError(t, err)
				assertDescribed(t, tag.Digest(digest.String()))
			}
		})
	}
}

// small makes an image for one platform, of a program that can't run.
func small(t *testing.T) image {
	t.Helper()
	programs := []compile.Program{{Platform: platforms[0], Binary: []byte("a program"), Info: info()}}
	built, err := assemble(release{version: version, revision: revision, created: time.Unix(1700000000, 0).UTC()}, programs)
	require.NoError(t, err)
	return built
}

func parseTag(t *testing.T, target string) name.Tag {
	t.Helper()
	tag, err := name.NewTag(target, name.StrictValidation)
	require.NoError(t, err)
	return tag
}

// assertDescribed wants one SBOM that the registry finds by the digest of its subject, and documents of these types.
func assertDescribed(t *testing.T, subject name.Digest, others ...string) {
	t.Helper()
	index, err := remote.Referrers(subject)
	require.NoError(t, err)
	referrers, err := index.IndexManifest()
	require.NoError(t, err)
	require.Len(t, referrers.Manifests, 1+len(others))
	attached := map[string]*v1.Manifest{}
	for _, one := range referrers.Manifests {
		found, err := remote.Get(subject.Digest(one.Digest.String()))
		require.NoError(t, err)
		manifest, err := v1.ParseManifest(bytes.NewReader(found.Manifest))
		require.NoError(t, err)
		attached[manifest.ArtifactType] = manifest
	}
	for _, other := range others {
		assert.Contains(t, attached, other)
	}
	require.Contains(t, attached, sbomType)
	manifest := attached[sbomType]
	assert.Equal(t, subject.DigestStr(), manifest.Subject.Digest.String())
	layer, err := remote.Layer(subject.Digest(manifest.Layers[0].Digest.String()))
	require.NoError(t, err)
	content, err := layer.Compressed()
	require.NoError(t, err)
	_, components := read(t, []byte(readAll(t, content)))
	assert.Contains(t, components, "hello.test/manager")
}

func TestARegistryThatRefusesIsQuotedInOneLine(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
		says   []string
	}{
		"without a login": {
			http.StatusUnauthorized, `{"errors":[{"code":"UNAUTHORIZED","message":"authentication required"}]}`,
			[]string{"401 Unauthorized", "UNAUTHORIZED authentication required", "docker login HOST"},
		},
		"without the right to push": {
			http.StatusForbidden, `{"errors":[{"code":"DENIED","message":"requested access to the\nresource is denied"}]}`,
			[]string{"403 Forbidden", "DENIED requested access to the resource is denied", "may push"},
		},
		"without the repository": {
			http.StatusNotFound, `{"errors":[{"code":"NAME_UNKNOWN","message":"no such repository"}]}`,
			[]string{"NAME_UNKNOWN no such repository", "create the repository team/aero"},
		},
		"with a page of a proxy": {
			http.StatusTeapot, "<html>\n<body>no</body>\n</html>",
			[]string{"418 I'm a teapot"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			host := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/v2/":
					return
				case r.Method == http.MethodHead: // it has none of the layers
					w.WriteHeader(http.StatusNotFound)
					return
				}
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			}))
			err := push(t.Context(), parseTag(t, host+"/team/aero:v1"), small(t))
			require.ErrorContains(t, err, "pushing to "+host+"/team/aero:v1: the registry refuses it")
			for _, says := range test.says {
				assert.ErrorContains(t, err, strings.ReplaceAll(says, "HOST", host))
			}
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestATagAppearsOnlyWithAllThatBelongsToIt(t *testing.T) {
	var order []string
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithReferrersSupport(true))
	host := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, reference, ok := strings.Cut(r.URL.Path, "/manifests/"); ok && r.Method == http.MethodPut {
			order = append(order, reference)
		}
		inner.ServeHTTP(w, r)
	}))
	require.NoError(t, push(t.Context(), parseTag(t, host+"/aero:v1"), small(t)))
	require.Len(t, order, 5, "the image, the index, two SBOMs, the tag")
	assert.Equal(t, "v1", order[4])
	assert.NotContains(t, order[:4], "v1")
}

func TestARegistryThatIsNotThereIsNamed(t *testing.T) {
	server := httptest.NewServer(nil)
	host := strings.TrimPrefix(server.URL, "http://")
	server.Close()
	err := push(t.Context(), parseTag(t, host+"/aero:v1"), small(t))
	require.ErrorContains(t, err, "pushing to "+host+"/aero:v1: ")
	require.ErrorContains(t, err, "connection refused")
	assert.NotContains(t, err.Error(), "\n")
}
