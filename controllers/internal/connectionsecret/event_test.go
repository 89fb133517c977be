package connectionsecret_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// The API server refuses an event whose note is longer than 1,024 bytes, so that it is lost.
func TestANoteFitsIntoAnEvent(t *testing.T) {
	for name, source := range map[string]string{
		"a long name of a function": "{{ " + strings.Repeat("a", 5000) + " }}",
		"a long number":             "{{ " + strings.Repeat("1", 5000) + "i }}",
		"a long field":              "{{ ." + strings.Repeat("a", 5000) + " }}",
	} {
		t.Run(name, func(t *testing.T) {
			spec := &aero.SecretContents{Data: map[string]aero.Template{"KEY": aero.Template(source)}}
			_, err := connectionsecret.Render(spec, connectionsecret.Values{})
			require.Error(t, err)
			obj := &aero.ConnectionSecret{ObjectMeta: metav1.ObjectMeta{Name: "x", Generation: 1}}
			after := connectionsecret.Conclude(obj, connectionsecret.Values{}, err, time.Now(), 0)
			e := connectionsecret.EventOf(obj.Status.SecretStatus, after)
			require.NotNil(t, e)
			assert.LessOrEqual(t, len(e.Note), 1024)
			assert.LessOrEqual(t, len(after.Conditions[0].Message), 1024)
		})
	}
}
