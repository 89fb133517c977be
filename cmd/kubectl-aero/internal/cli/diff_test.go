package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/aero-operator/aero/controllers/preview"
)

// A pipeline that merges by the exit code must not take a mistake for a comparison.
func TestAMistakeInTheCommandLineOfADiffHasTheExitCodeOfAnError(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"diff", "--no-such-flag"}, {"diff", "-f", "x.yaml", "y.yaml"}, {"diff", "--output"}} {
		p := &plugin{streams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: io.Discard}, now: time.Now}
		coded, is := errors.AsType[codedError](p.run(t.Context(), args))
		require.True(t, is, args)
		assert.Equal(t, exitUncompared, coded.code, args)
	}
}

// manifests is a file with objects in YAML.
func manifests(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "manifests.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// A typing error in the name of a field must not pass as no change, as kubectl apply refuses it.
func TestADiffRefusesAnUnknownFieldAsKubectlApplyDoes(t *testing.T) {
	t.Setenv("AIVEN_TOKEN", "t")
	file := manifests(t, strings.Replace(postgres, "plan: startup-4", "plan: startup-4, poweredd: false", 1))
	for name, s := range map[string]*server{"of a new object": newServer(t), "of an existing object": newServer(t, postgres)} {
		s.refuses = func(u *unstructured.Unstructured) error {
			if _, has, err := unstructured.NestedBool(u.Object, "spec", "poweredd"); !has || err != nil {
				return apierrors.NewInternalError(fmt.Errorf("the unknown field isn't sent: %v", u.Object))
			}
			return apierrors.NewBadRequest(`strict decoding error: unknown field "spec.poweredd"`)
		}
		for _, flags := range [][]string{nil, {"--server-side"}} {
			_, problem := s.types(t, append([]string{"diff", "-f", file}, flags...)...)
			assert.Equal(t, `error: applying postgresqls/my-pg without storing it: strict decoding error: unknown field "spec.poweredd"`, problem, name, flags)
		}
	}
}

func TestADiffOfOtherObjectsHasAnEmptyList(t *testing.T) {
	t.Setenv("AIVEN_TOKEN", "t")
	s := newServer(t)
	others := manifests(t, "{apiVersion: v1, kind: Secret, metadata: {name: other}}")
	assert.Equal(t, "{\n    \"objects\": [],\n    \"notCompared\": 1\n}\n", s.prints(t, "diff", "-f", others, "-o", "json"))
}

func TestADiffNamesWhatKeepsManifestsFromBeingRead(t *testing.T) {
	t.Setenv("AIVEN_TOKEN", "t")
	banana := manifests(t, `{apiVersion: aiven.io/v1alpha1, kind: Banana, metadata: {name: "b\e[2J\u202e"}}`)
	_, problem := newServer(t).types(t, "diff", "-f", banana)
	assert.Equal(t, `error: resource mapping not found for name: "b\x1b[2J\u202e" namespace: "" from "`+banana+`": no matches for kind "Banana" in version "aiven.io/v1alpha1"`+
		"\nensure CRDs are installed first", problem)

	empty := newServer(t)
	empty.kinds = nil
	_, problem = empty.types(t, "diff", "-f", manifests(t, postgres))
	assert.Contains(t, problem, "error: the API server has no kinds of aiven.io: install aero's CRDs")
}

func TestTheExitCodeOfADiffIsThatOfTheWorstObject(t *testing.T) {
	t.Parallel()
	disruptive := preview.Result{Action: preview.Update, Changes: []preview.Change{{Path: "spec.plan", Impacts: []preview.Impact{"NodesReplaced"}}}}
	only := func(action preview.Action) preview.Result { return preview.Result{Action: action} }
	for name, tc := range map[string]struct {
		objects []preview.Result
		want    error
	}{
		"nothing would be changed":       {[]preview.Result{only(preview.Nothing), only(preview.Leave)}, nil},
		"something would be created":     {[]preview.Result{only(preview.Nothing), only(preview.Create)}, exitError(1)},
		"something would be changed":     {[]preview.Result{only(preview.Update), only(preview.Leave)}, exitError(1)},
		"something is disruptive":        {[]preview.Result{only(preview.Create), disruptive}, exitError(2)},
		"something couldn't be compared": {[]preview.Result{disruptive, only(preview.Unknown)}, exitError(3)},
		"something would be refused":     {[]preview.Result{only(preview.Nothing), only(preview.Refuse)}, exitError(3)},
		"refused beside what is changed": {[]preview.Result{disruptive, only(preview.Refuse), only(preview.Create)}, exitError(3)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, differences{Objects: tc.objects}.status())
		})
	}
}
