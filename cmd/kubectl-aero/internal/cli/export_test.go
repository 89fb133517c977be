package cli

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"

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

func TestADifferenceFromAivenIsPrintedAndAnError(t *testing.T) {
	t.Parallel()
	one := func(text string) []export.Note { return []export.Note{{What: "topic orders", Text: text}} }
	const lists = "1 difference between manifests and Aiven: don't apply these manifests in mode manage"
	for name, tc := range map[string]struct {
		result        export.Result
		prints, fails string
		code          int
	}{
		"nothing": {prints: "0 objects exported\n"},
		"a difference": {
			result: export.Result{Manifests: make([]export.Manifest, 1), Differences: one("spec.partitions is \"3\"")},
			prints: "Different from Aiven:\n  topic orders: spec.partitions is \"3\"\n1 object exported\n", fails: lists, code: 1,
		},
		"what can't be compared": {
			result: export.Result{Uncompared: one("service my-kafka is POWEROFF")},
			prints: "Not compared with Aiven:\n  topic orders: service my-kafka is POWEROFF\n0 objects exported\n",
		},
		"what couldn't be read": {
			result: export.Result{Unread: one("no")}, prints: "Not read:\n  topic orders: no\n0 objects exported\n",
			fails: "1 part of the project couldn't be read", code: exitUnread,
		},
		"a difference beside what couldn't be read": {
			result: export.Result{Unread: one("no"), Differences: one("differs")},
			prints: "Not read:\n  topic orders: no\nDifferent from Aiven:\n  topic orders: differs\n0 objects exported\n", fails: lists, code: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var errOut bytes.Buffer
			p := &plugin{streams: genericiooptions.IOStreams{ErrOut: &errOut}}
			err := p.report(&exportReport{Result: &tc.result})
			assert.Equal(t, tc.prints, errOut.String())
			assert.Equal(t, tc.code, codeOf(err))
			if tc.fails != "" {
				require.EqualError(t, err, tc.fails)
			}
		})
	}
}

// codeOf is the exit code of an export that has ended with an error.
func codeOf(err error) int {
	coded, is := errors.AsType[codedError](err)
	switch {
	case err == nil:
		return 0
	case is:
		return coded.code
	default:
		return 1
	}
}

func TestFlagsOfAnExportThatCanNotBeMeantAreRefusedBeforeAivenIsRead(t *testing.T) {
	aiven := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("Aiven is asked for %s", r.URL.Path)
		http.Error(w, "{}", http.StatusForbidden)
	}))
	t.Cleanup(aiven.Close)
	t.Setenv("AIVEN_WEB_URL", aiven.URL)
	t.Setenv("AIVEN_TOKEN", "token")
	t.Chdir(t.TempDir())
	for _, file := range []string{"prod/database-orders.yaml", "full/database-orders.yaml"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
	for says, flags := range map[string][]string{
		`unknown --mode "Manage": use observe or manage`:               {"--mode", "Manage"},
		`unknown --layout "files": use stream or dir`:                  {"--layout", "files"},
		`unknown --layout "": use stream or dir`:                       {"--layout", ""},
		"--directory needs --layout dir":                               {"--directory", "new"},
		`--auth-secret "token": write it as name/key`:                  {"--auth-secret", "token"},
		`--auth-secret "/key": write it as name/key`:                   {"--auth-secret", "/key"},
		`--auth-secret "name/": write it as name/key`:                  {"--auth-secret", "name/"},
		"folder prod isn't empty: choose another one with --directory": {"--layout", "dir"},
		"folder full isn't empty: choose another one with --directory": {"--layout", "dir", "--directory", "full"},
		"not a directory": {"--layout", "dir", "--directory", "prod/database-orders.yaml"},
	} {
		t.Run(says, func(t *testing.T) {
			p := &plugin{streams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: io.Discard}, now: time.Now}
			assert.ErrorContains(t, p.run(t.Context(), append([]string{"export", "--project", "prod"}, flags...)), says)
		})
	}
}
