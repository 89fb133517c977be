package status

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/aero-operator/aero/controllers/internal/condition"
)

// migratedAnd is a service whose data has arrived, and what became of the Secret.
func migratedAnd(became Discarded) finding {
	return all(serviceInSync, func(f *Facts) {
		f.Discarded = became
		f.Conditions = []KindCondition{{Type: condition.MigrationComplete, True: true, Reason: "MigrationDone", Message: "Migrated"}}
	})
}

func TestWhatBecameOfTheSecretOfAMigration(t *testing.T) {
	kept := Discarded{Message: "Secret ns/old was not deleted", Warning: true}
	for name, tc := range map[string]struct {
		given   []Discarded
		when    Discarded
		message string
		event   string
		after   time.Duration
	}{
		"nothing is to be deleted": {message: "Migrated"},
		"it is deleted":            {when: Discarded{Message: "Secret ns/old is deleted"}, message: "Migrated. Secret ns/old is deleted"},
		"it is kept":               {when: kept, message: "Migrated. Secret ns/old was not deleted", event: "Warning UnableToDeleteMigrationSecret"},
		"it is still kept":         {given: []Discarded{kept}, when: kept, message: "Migrated. Secret ns/old was not deleted"},
		"it is kept for another reason": {
			given: []Discarded{{Message: "Secret ns/old is kept for now"}}, when: kept,
			message: "Migrated. Secret ns/old was not deleted", event: "Warning UnableToDeleteMigrationSecret",
		},
		"it is deleted after all": {given: []Discarded{kept}, when: Discarded{Message: "Secret ns/old is deleted"}, message: "Migrated. Secret ns/old is deleted"},
		"it is tried again soon":  {when: Discarded{Message: "Not yet", Retry: true}, message: "Migrated. Not yet", after: timings.RequeueAsync},
	} {
		t.Run(name, func(t *testing.T) {
			o := newObject(true)
			for _, m := range serviceBorn {
				o.now = o.now.Add(m.after)
				o.reconcile(t, m.finds)
			}
			for _, became := range tc.given {
				o.reconcile(t, migratedAnd(became))
			}
			o.now = o.now.Add(time.Hour)
			c := o.reconcile(t, migratedAnd(tc.when))
			got := columnsOf(&c)
			assert.Equal(t, "True/ReconciliationSucceeded", got.ready)
			assert.Equal(t, "Running", got.phase)
			assert.Equal(t, tc.event, got.event)
			for _, found := range c.Status.Conditions {
				if found.Type == condition.MigrationComplete {
					assert.Equal(t, tc.message, found.Message)
					assert.Equal(t, "MigrationDone", found.Reason)
				}
			}
			if tc.after == 0 {
				tc.after = timings.Poll
			}
			assert.Equal(t, tc.after, c.Result.RequeueAfter)
			if tc.event != "" {
				assert.Equal(t, tc.when.Message, c.Event.Note)
			}
		})
	}
}
