package connectionsecret_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/connection"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// rowsFile has the statuses of ConnectionSecrets and ServiceUserRotations, with the word that kstatus must find for each. The library is
// asked in a module of the tests, as that of Argo CD is.
const rowsFile = "testdata/rows.json"

// situationRow is one entry of the golden file.
type situationRow struct {
	Situation  string
	Generation int64
	Deleting   bool
	Status     aero.SecretStatus
	Kstatus    string
}

func TestX02_C12_TheRowsForKstatusAreCurrent(t *testing.T) {
	secret := types.NamespacedName{Namespace: "apps", Name: "orders"}
	failures := map[string]struct {
		err  error
		word string
	}{
		"a bad template":             {&connectionsecret.TemplateError{Key: "A", Err: os.ErrInvalid}, "Failed"},
		"a missing route":            {&connectionsecret.RouteError{Component: "pg", Route: "public", Problem: "has none"}, "InProgress"},
		"no grant":                   {errNoGrant, "InProgress"},
		"no source":                  {&connectionsecret.MissingError{Field: "spec.sourceRef", Target: "ServiceUser data/joe"}, "InProgress"},
		"an invalid spec":            {fault.InvalidSpec("spec.presets", "it can't be"), "Failed"},
		"a foreign Secret":           {&connection.OwnershipError{Secret: secret, Object: "ConnectionSecret orders"}, "InProgress"},
		"a Secret that goes":         {&connection.PendingError{Secret: secret, Problem: "is being deleted"}, "InProgress"},
		"a source that isn't known":  {&connectionsecret.WaitError{For: "ServiceUser data/joe", Observed: true}, "InProgress"},
		"an error of the API server": {os.ErrDeadlineExceeded, "InProgress"},
	}
	rows := []situationRow{
		{Situation: "published", Generation: 3, Status: published(t).Status.SecretStatus, Kstatus: "Current"},
		{Situation: "paused before the first reconcile", Generation: 3, Status: connectionsecret.Paused(fresh(), now), Kstatus: "InProgress"},
		{Situation: "paused once it was published", Generation: 3, Status: connectionsecret.Paused(published(t), now), Kstatus: "Current"},
	}
	for _, name := range slices.Sorted(maps.Keys(failures)) {
		failed := failures[name]
		edited := published(t)
		edited.Generation++
		rows = append(rows,
			situationRow{name, 3, false, connectionsecret.Conclude(fresh(), connectionsecret.Values{}, failed.err, now, 0), failed.word},
			situationRow{name + ", after an edit", 4, false, connectionsecret.Conclude(edited, connectionsecret.Values{}, failed.err, now, 0), failed.word},
		)
	}
	text, err := json.MarshalIndent(rows, "", " ")
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(rowsFile, text, 0o600))
	}
	golden, err := os.ReadFile(rowsFile)
	require.NoError(t, err)
	assert.Equal(t, string(golden), string(text), "run the test with -update, and review the diff")
}
