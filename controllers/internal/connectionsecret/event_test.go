package connectionsecret_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/connectionsecret"
)

func TestAWaitAndTheFirstSecretAreNoEvents(t *testing.T) {
	is := func(status metav1.ConditionStatus, reason string) aero.SecretStatus {
		return aero.SecretStatus{Conditions: []metav1.Condition{{Type: "Ready", Status: status, Reason: reason, Message: reason}}}
	}
	ready, waits := is("True", "ReconciliationSucceeded"), is("Unknown", "Progressing")
	missing, foreign, retried := is("False", "ReferenceNotFound"), is("False", "ConnInfoSecretConflict"), is("Unknown", "ProgressingWithRetry")
	for name, tc := range map[string]struct {
		before, after aero.SecretStatus
		want          string
	}{
		"a new object that is published": {aero.SecretStatus{}, ready, ""},
		"a new object that waits":        {aero.SecretStatus{}, waits, ""},
		"published after a wait":         {waits, ready, ""},
		"the same as before":             {missing, missing, ""},
		"a source that is missing":       {waits, missing, "Warning UnableToWaitForPreconditions"},
		"the Secret of another":          {ready, foreign, "Warning CannotPublishConnectionDetails"},
		"an error of the API server":     {ready, retried, "Warning CannotPublishConnectionDetails"},
		"published after an error":       {missing, ready, "Normal ReconciliationSucceeded"},
		"published after a retry":        {retried, ready, "Normal ReconciliationSucceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if e := connectionsecret.EventOf(tc.before, tc.after); e != nil {
				got = e.Type + " " + e.Reason
			}
			assert.Equal(t, tc.want, got)
		})
	}
}
