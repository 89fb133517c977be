package postgres

import "testing"

// HidePgBouncer makes this a machine without PgBouncer until the end of the test.
func HidePgBouncer(t *testing.T) {
	t.Helper()
	found := poolers
	poolers = nil
	t.Cleanup(func() { poolers = found })
}
