package localaiven_test

import (
	"io"
	"log/slog"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// BenchmarkMixedCalls is nine ServiceGet for one ServiceUserCreate and one ServiceUserDelete, spread over services, over
// real connections that are kept alive. It reports calls/s.
func BenchmarkMixedCalls(b *testing.B) {
	const services = 50
	h := start(b, localaiven.Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	ctx := b.Context()
	for i := range services {
		_, err := h.client.ServiceCreate(ctx, proj, &service.ServiceCreateIn{ServiceName: name(i), ServiceType: "pg", Plan: "startup-4"})
		require.NoError(b, err)
	}
	var calls, users atomic.Int64
	b.ResetTimer()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n := users.Add(1)
			target, user := name(int(n%services)), "user-"+strconv.FormatInt(n, 10)
			_, err := h.client.ServiceUserCreate(ctx, proj, target, &service.ServiceUserCreateIn{Username: user})
			require.NoError(b, err)
			for range 9 {
				_, err := h.client.ServiceGet(ctx, proj, target, withSecrets)
				require.NoError(b, err)
			}
			require.NoError(b, h.client.ServiceUserDelete(ctx, proj, target, user))
			calls.Add(11)
		}
	})
	b.ReportMetric(float64(calls.Load())/b.Elapsed().Seconds(), "calls/s")
}

func name(i int) string { return "pg-" + strconv.Itoa(i) }
