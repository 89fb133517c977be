package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stub writes a program in place of govulncheck, which ends with what the file exit in the module's folder has.
func stub(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "govulncheck")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\necho \"checked $*\"; exit $(cat exit)\n"), 0o755))
	return path
}

// modules makes folders in which the program ends so.
func modules(t *testing.T, exits ...string) (root string, names []string) {
	t.Helper()
	root = t.TempDir()
	for _, exit := range exits {
		folder, err := os.MkdirTemp(root, "module")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "exit"), []byte(exit), 0o600))
		names = append(names, filepath.Base(folder))
	}
	return root, names
}

func TestTheExitCodeReportsWhatWasFound(t *testing.T) {
	database := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/index/db.json" {
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(database.Close)
	for name, tc := range map[string]struct {
		exits   []string
		code    int
		checked int
	}{
		"no vulnerability":                    {[]string{"0", "0"}, 0, 2},
		"vulnerabilities in the first module": {[]string{"3", "0"}, 3, 2},
		"vulnerabilities in the last module":  {[]string{"0", "3"}, 3, 2},
		"a module that doesn't compile":       {[]string{"1", "0"}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			root, names := modules(t, tc.exits...)
			var out bytes.Buffer
			err := run(t.Context(), append([]string{"--govulncheck", stub(t), "--root", root, "--db", database.URL}, names...), &out)
			assert.Equal(t, tc.code, exitCode(err), "%v", err)
			assert.Equal(t, tc.checked, bytes.Count(out.Bytes(), []byte("checked -db "+database.URL+" ./...")))
		})
	}
}

func TestADatabaseThatIsNotReachedSaysNothingAboutTheCode(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	folder := t.TempDir()
	for name, tc := range map[string]struct {
		database string
		says     string
	}{
		"no server":              {gone.URL, "connection refused"},
		"a server of other data": {other.URL, "404 Not Found"},
		"an empty folder":        {"file://" + folder, "404 Not Found"},
		"no URL":                 {"::", "missing protocol scheme"},
	} {
		t.Run(name, func(t *testing.T) {
			root, names := modules(t, "0")
			var out bytes.Buffer
			err := run(t.Context(), append([]string{"--govulncheck", stub(t), "--root", root, "--db", tc.database}, names...), &out)
			assert.Equal(t, 4, exitCode(err))
			require.ErrorContains(t, err, "can't be reached, so nothing was checked")
			require.ErrorContains(t, err, tc.says)
			assert.Empty(t, out.String())
		})
	}

	require.NoError(t, os.Mkdir(filepath.Join(folder, "index"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "index", "db.json"), []byte("{}"), 0o600))
	require.NoError(t, run(t.Context(), []string{"--db", "file://" + folder}, &bytes.Buffer{}), "a folder with a database")
}
