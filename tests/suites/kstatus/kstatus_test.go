package kstatus

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
)

// row is a status as the operator concludes it.
type row struct {
	apiVersion, kind string // of a ServiceUser if empty

	Situation  string
	Generation int64
	Deleting   bool
	Status     map[string]any
	Kstatus    string
}

func objectWith(r row) *unstructured.Unstructured {
	metadata := map[string]any{"name": "x", "namespace": "ns", "generation": r.Generation}
	if r.Deleting {
		metadata["deletionTimestamp"] = "2026-05-01T12:00:00Z"
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": cmp.Or(r.apiVersion, "aiven.io/v1alpha1"), "kind": cmp.Or(r.kind, "ServiceUser"), "metadata": metadata, "status": r.Status,
	}}
}

// conditionOf is a condition of a row, nil for none.
func conditionOf(r row, name string) map[string]any {
	conditions, _ := r.Status["conditions"].([]any)
	for _, c := range conditions {
		if condition := c.(map[string]any); condition["type"] == name {
			return condition
		}
	}
	return nil
}

// goldenRows are those that unit tests of the operator have written: of its kinds, and of the two with Secrets alone.
func goldenRows(t *testing.T) []row {
	t.Helper()
	const ours = "aero-operator.io/v1alpha1"
	return slices.Concat(
		rowsOf(t, "status", row{}), rowsOf(t, "connectionsecret", row{apiVersion: ours, kind: "ConnectionSecret"}),
		rowsOf(t, "connectionsecret", row{apiVersion: ours, kind: "ServiceUserRotation"}),
	)
}

func rowsOf(t *testing.T, folder string, of row) []row {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "controllers", "internal", folder, "testdata", "rows.json"))
	require.NoError(t, err)
	var entries []map[string]any
	require.NoError(t, json.Unmarshal(text, &entries), "whole numbers stay so, as in an answer of the API server")
	var rows []row
	for _, entry := range entries {
		rows = append(rows, row{
			apiVersion: of.apiVersion, kind: of.kind,
			Situation: strings.TrimSpace(of.kind + " " + entry["Situation"].(string)), Generation: entry["Generation"].(int64),
			Deleting: entry["Deleting"].(bool), Status: entry["Status"].(map[string]any), Kstatus: entry["Kstatus"].(string),
		})
	}
	require.NotEmpty(t, rows)
	return rows
}

func TestX02_KstatusSeesEachRowOfTheTableAsItIsMeant(t *testing.T) {
	for _, r := range goldenRows(t) {
		t.Run(r.Situation, func(t *testing.T) {
			seen, err := kstatus.Compute(objectWith(r))
			require.NoError(t, err)
			assert.Equal(t, r.Kstatus, string(seen.Status), seen.Message)
		})
	}
}

// isReady is a condition.
var isReady = map[string]any{"type": "Ready", "status": "True", "reason": "ReconciliationSucceeded", "message": "Reconciled"}

// What was not reconciled yet.
var (
	fresh  = row{Situation: "a new object", Generation: 1, Status: map[string]any{"observedGeneration": int64(-1)}}
	edited = row{Situation: "a new spec", Generation: 2, Status: map[string]any{"observedGeneration": int64(1), "conditions": []any{isReady}}}
)

// What is paused: a pause is no row of the table, which keeps what the last reconcile concluded.
var (
	paused = row{Situation: "a paused object", Generation: 1, Status: map[string]any{
		"observedGeneration": int64(1), "conditions": []any{isReady, map[string]any{"type": "Paused", "status": "True", "reason": "PausedByAnnotation"}},
	}}
	pausedAndDeleted = row{Situation: "a paused object that is deleted", Generation: 1, Deleting: true, Status: paused.Status}
)

func TestC12_WhatWasNeverReconciledIsNotCurrent(t *testing.T) {
	for _, r := range []row{fresh, edited} {
		t.Run(r.Situation, func(t *testing.T) {
			seen, err := kstatus.Compute(objectWith(r))
			require.NoError(t, err)
			assert.Equal(t, kstatus.InProgressStatus, seen.Status)
		})
	}
}
