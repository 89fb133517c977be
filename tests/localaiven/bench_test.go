package localaiven_test

import (
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/require"

	"github.com/aero-operator/aero/tests/localaiven"
)

// BenchmarkMixedCalls is nine ServiceGet for one ServiceUserCreate and one ServiceUserDelete, spread over services with
// 10,000 users in all, over real connections that are kept alive. It reports calls/s.
func BenchmarkMixedCalls(b *testing.B) {
	const services, users = 100, 100
	h := start(b, localaiven.Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	ctx := b.Context()
	for i := range services {
		h.populate(b, name(i), users)
	}
	var calls, made atomic.Int64
	b.ResetTimer()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n := made.Add(1)
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

// BenchmarkCallsOfManyKinds is a mix of reads and writes on several types of services, by a client that throws answers away: with
// the race detector it shows what the server does under load, rather than what a client does. It reports calls/s.
func BenchmarkCallsOfManyKinds(b *testing.B) {
	server := withServices(b)
	var calls, made atomic.Int64
	call := func(method, path, body string) {
		status, answer := handle(b, server, method, servicesPath+path, body)
		require.Equal(b, http.StatusOK, status, answer)
		calls.Add(1)
	}
	b.ResetTimer()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			name := "n" + strconv.FormatInt(made.Add(1), 10)
			call(post, "/pg/user", `{"username":"`+name+`"}`)
			call(post, "/kafka/topic", `{"topic_name":"`+name+`","partitions":1,"replication":2}`)
			for range 3 {
				call(get, "", "")
				call(get, "/pg", "")
				call(get, "/kafka/topic", "")
			}
			call(del, "/kafka/topic/"+name, "")
			call(del, "/pg/user/"+name, "")
		}
	})
	b.ReportMetric(float64(calls.Load())/b.Elapsed().Seconds(), "calls/s")
}

// BenchmarkServiceList lists a project with 1,000 users after each of them has changed, so that nothing is at hand.
func BenchmarkServiceList(b *testing.B) {
	const users = 1000
	h := start(b, localaiven.Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	h.populate(b, svcName, users)
	for b.Loop() {
		require.NoError(b, h.Patch(proj, svcName, map[string]any{"tags": map[string]string{"a": "b"}}))
		all, err := h.client.ServiceList(b.Context(), proj)
		require.NoError(b, err)
		require.Len(b, all[0].Users, users+1)
	}
}

// populate makes a PostgreSQL with users.
func (h *harness) populate(b *testing.B, name string, users int) {
	b.Helper()
	_, err := h.client.ServiceCreate(b.Context(), proj, &service.ServiceCreateIn{ServiceName: name, ServiceType: "pg", Plan: "startup-4"})
	require.NoError(b, err)
	added := make([]any, users)
	for i := range added {
		added[i] = map[string]any{"username": "app-" + strconv.Itoa(i)}
	}
	require.NoError(b, h.Patch(proj, name, map[string]any{"users": added}))
}

func name(i int) string { return "pg-" + strconv.Itoa(i) }
