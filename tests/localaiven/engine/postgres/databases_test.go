package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDatabaseLocale(t *testing.T) {
	s := start(t)
	cases := map[string]struct{ collate, ctype, gotCollate, gotCtype string }{
		"none is the one of the cluster":       {gotCollate: "C.UTF-8", gotCtype: "C.UTF-8"},
		"one that the machine has is used":     {collate: "C", ctype: "C.UTF-8", gotCollate: "C", gotCtype: "C.UTF-8"},
		"one that it lacks is not a failure":   {collate: "xx_XX.UTF-8", gotCollate: "C.UTF-8", gotCtype: "C.UTF-8"},
		"a quote in the name does no mischief": {ctype: "x'; --", gotCollate: "C.UTF-8", gotCtype: "C.UTF-8"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, s.Databases().Set(t.Context(), name, tc.collate, tc.ctype))
			require.NoError(t, s.Databases().Set(t.Context(), name, tc.collate, tc.ctype), "setting it twice is fine")
			conn := s.connect(t, s.Endpoint(), admin, name)
			const of = " FROM pg_database WHERE datname = current_database()"
			assert.Equal(t, tc.gotCollate, ask[string](t, conn, "SELECT datcollate"+of))
			assert.Equal(t, tc.gotCtype, ask[string](t, conn, "SELECT datctype"+of))
			assert.Equal(t, "UTF8", ask[string](t, conn, "SHOW server_encoding"))
		})
	}
}

func TestDatabaseIsRemovedUnderLiveSession(t *testing.T) {
	s := start(t)
	require.NoError(t, s.Databases().Set(t.Context(), "orders", "", ""))
	conn := s.connect(t, s.Endpoint(), admin, "orders")
	run(t, conn, "BEGIN", "CREATE TABLE unfinished ()")

	require.NoError(t, s.Databases().Remove(t.Context(), "orders"))

	require.Error(t, conn.Ping(t.Context()))
	_, err := s.login(t, s.Endpoint(), admin, "orders")
	require.ErrorContains(t, err, "does not exist")
	require.NoError(t, s.Databases().Remove(t.Context(), "orders"), "removing it twice is fine")
}
