package mysql

import "testing"

// Hide makes this a machine without MariaDB until the end of the test.
func Hide(t *testing.T) {
	t.Helper()
	found := servers
	servers = nil
	t.Cleanup(func() { servers = found })
}
