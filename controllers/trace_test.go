package controllers

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	avnservice "github.com/aiven/go-client-codegen/handler/service"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/mock/gomock"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/credentials"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/tracing"
)

// Secret values. They must not appear in a trace.
const (
	plantedToken    = "t0kenThatMustNotLeak1234567890"
	plantedPassword = "AVNS_planted-Passw0rd"
)

// traced lets the calls of a world go to an Aiven that answers with a status and a body, and records the spans.
func traced(w *world[*v1alpha1.ServiceUser], status int, body string) *tracetest.SpanRecorder {
	w.t.Helper()
	api := httptest.NewServer(http.HandlerFunc(func(rsp http.ResponseWriter, r *http.Request) {
		if status == http.StatusTooManyRequests {
			rsp.Header().Set("Retry-After", "7")
		}
		rsp.WriteHeader(status)
		_, _ = fmt.Fprintf(rsp, body, r.Header.Get("Authorization"))
	}))
	w.t.Cleanup(api.Close)
	w.engine.clients = aiven.New(aiven.Options{BaseURL: api.URL})
	w.engine.credentials.Default = credentials.NewDefault(plantedToken)
	return tracetest.NewSpanRecorder()
}

// calls makes the kind call Aiven, within whatever context the engine gives it.
func (w *world[T]) calls(ctx context.Context) error {
	c, err := w.engine.clients.ForToken(plantedToken)
	require.NoError(w.t, err)
	_, err = c.API().ServiceUserCreate(ctx, "prj", "pg", &avnservice.ServiceUserCreateIn{Username: "joe"})
	return err
}

// reconcileTraced takes one step as the manager does.
func (w *world[T]) reconcileTraced(recorder *tracetest.SpanRecorder) (reconcile.Result, error) {
	w.t.Helper()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	around := tracing.Wrap(provider, w.engine.gvk.Kind, w.engine)
	return around.Reconcile(w.t.Context(), reconcile.Request{NamespacedName: w.key})
}

// tree shows spans below each other, in the order in which they began.
func tree(spans []sdktrace.ReadWriteSpan) string {
	var lines []string
	var below func(parent trace.SpanID, indent string)
	below = func(parent trace.SpanID, indent string) {
		for _, span := range spans {
			if span.Parent().SpanID() == parent {
				lines = append(lines, indent+line(span))
				below(span.SpanContext().SpanID(), indent+"  ")
			}
		}
	}
	below(trace.SpanID{}, "")
	return strings.Join(lines, "\n")
}

// line is the name of a span, its attributes but for those that are never the same, and how it ended.
func line(span sdktrace.ReadOnlySpan) string {
	text := []string{span.Name()}
	for _, a := range span.Attributes() {
		if a.Key != "server.port" && a.Key != "aero.reconcile_id" {
			text = append(text, fmt.Sprintf("%s=%s", a.Key, a.Value.String()))
		}
	}
	if span.Status().Code == codes.Error {
		text = append(text, "ERROR", span.Status().Description)
	}
	return strings.TrimSpace(strings.Join(text, " "))
}

// What the traces have in common.
const (
	joe      = "aero.kind=ServiceUser k8s.namespace.name=ns aero.name=joe aero.generation=1"
	userCall = "aero.aiven.operation=ServiceUserCreate http.request.method=POST url.template=/v1/project/{project}/service/{service}/user" +
		" server.address=127.0.0.1"
	prepared = `
  checkDeletionPolicy
  checkPause
  readNamespace
  resolveToken
  checkOwnership
  resolveReferences`
)

func TestAReconcileIsATrace(t *testing.T) {
	created := `{"user": {"username": "joe", "type": "normal", "password": "` + plantedPassword + `"}, "message": "%s"}`
	refused := `{"message": "the password ` + plantedPassword + ` and %s are no good"}`
	for name, tc := range map[string]struct {
		status  int
		body    string
		prepare func(w *world[*v1alpha1.ServiceUser])
		deleted bool
		fails   bool
		want    string
	}{
		"one that creates": {
			status: http.StatusOK, body: created,
			prepare: func(w *world[*v1alpha1.ServiceUser]) {
				w.observes(nothing, nil)
				w.aiven.EXPECT().Create(gomock.Any(), gomock.Any()).DoAndReturn(
					func(ctx context.Context, _ *v1alpha1.ServiceUser) (Observation, error) { return allWell, w.calls(ctx) })
			},
			want: "reconcile ServiceUser " + joe + " aero.conclusion.row=in sync aero.phase=Ready aero.ready=True" +
				" aero.conclusion.reason=ReconciliationSucceeded aero.mutation=created aero.requeue_after_s=600" + prepared + `
  readPublished
  observe
  addFinalizer
  persistIntent
  apply
    create
      ServiceUserCreate ` + userCall + ` http.response.status_code=200
  rotate
  publish
  discard
  conclude`,
		},
		"one that Aiven can't serve": {
			status: http.StatusInternalServerError, body: refused, fails: true,
			prepare: func(w *world[*v1alpha1.ServiceUser]) {
				w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).DoAndReturn(
					func(ctx context.Context, _ *v1alpha1.ServiceUser) (Observation, error) {
						return Observation{}, w.calls(ctx)
					})
			},
			want: "reconcile ServiceUser " + joe + " aero.conclusion.row=infrastructure error aero.phase=Pending aero.ready=Unknown" +
				" aero.conclusion.reason=ProgressingWithRetry aero.requeue_after_s=0" +
				" error.type=Server ERROR Aiven failed: the password *** and aivenv1 *** are no good (500 ServiceUserCreate)" + prepared + `
  readPublished
  observe aero.stopped=true error.type=Server ERROR Aiven failed: the password *** and aivenv1 *** are no good (500 ServiceUserCreate)
    ServiceUserCreate ` + userCall + ` http.response.status_code=500 error.type=500 ERROR
  conclude`,
		},
		"one that Aiven asks to wait": {
			status: http.StatusTooManyRequests, body: refused,
			prepare: func(w *world[*v1alpha1.ServiceUser]) {
				w.aiven.EXPECT().Observe(gomock.Any(), gomock.Any()).DoAndReturn(
					func(ctx context.Context, _ *v1alpha1.ServiceUser) (Observation, error) {
						return Observation{}, w.calls(ctx)
					})
			},
			want: "reconcile ServiceUser " + joe + " aero.conclusion.row=no turn yet aero.phase=Pending aero.ready=Unknown" +
				" aero.conclusion.reason=Progressing aero.requeue_after_s=7" + prepared + `
  readPublished
  observe aero.stopped=true error.type=RateLimited ERROR Aiven limits the rate of calls: the password *** and aivenv1 *** are no good (429 ServiceUserCreate)
    ServiceUserCreate ` + userCall + ` http.response.status_code=429 http.response.header.retry-after=["7"] error.type=429 ERROR
  conclude`,
		},
		"one that Aiven refuses": {
			status: http.StatusBadRequest, body: refused,
			prepare: func(w *world[*v1alpha1.ServiceUser]) {
				w.observes(nothing, nil)
				w.aiven.EXPECT().Create(gomock.Any(), gomock.Any()).DoAndReturn(
					func(ctx context.Context, _ *v1alpha1.ServiceUser) (Observation, error) {
						return Observation{}, w.calls(ctx)
					})
			},
			want: "reconcile ServiceUser " + joe + " aero.conclusion.row=spec rejected aero.phase=Failed aero.ready=False" +
				" aero.conclusion.reason=InvalidSpec aero.requeue_after_s=600" + prepared + `
  readPublished
  observe
  addFinalizer
  persistIntent
  apply error.type=Rejected ERROR Aiven rejected the request: the password *** and aivenv1 *** are no good (400 ServiceUserCreate)
    create error.type=Rejected ERROR Aiven rejected the request: the password *** and aivenv1 *** are no good (400 ServiceUserCreate)
      ServiceUserCreate ` + userCall + ` http.response.status_code=400 error.type=400 ERROR
  rotate
  publish
  discard
  conclude`,
		},
		"one that waits for a reference": {
			prepare: func(w *world[*v1alpha1.ServiceUser]) {
				w.engine.kind.References = []reference.Declaration{passwordReference()}
			},
			want: "reconcile ServiceUser " + joe + " aero.conclusion.row=reference absent aero.phase=Pending aero.ready=Unknown" +
				" aero.conclusion.reason=Progressing aero.requeue_after_s=10" + prepared + ` aero.stopped=true
  conclude`,
		},
		"one that deletes": {
			status: http.StatusOK, body: created, deleted: true,
			prepare: func(w *world[*v1alpha1.ServiceUser]) {
				w.aiven.EXPECT().Delete(gomock.Any(), gomock.Any()).DoAndReturn(
					func(ctx context.Context, _ *v1alpha1.ServiceUser) error { return w.calls(ctx) })
			},
			want: "reconcile ServiceUser " + joe + " aero.conclusion.row=deletion running aero.phase=NotAvailable aero.ready=Unknown" +
				" aero.conclusion.reason=Deleting aero.requeue_after_s=0" + `
  checkProvenance
  checkDeletionPolicy
  checkOrphan
  checkProtection
  skipIfShared
  checkGuards
  readNamespace
  resolveToken
  resolveForDeletion
  delete
    ServiceUserCreate ` + userCall + ` http.response.status_code=200
  removeFinalizer aero.stopped=true
  conclude`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			user := newUser()
			if tc.deleted {
				finalized(user)
			}
			w := newWorld(t, user)
			recorder := traced(w, tc.status, tc.body)
			tc.prepare(w)
			if tc.deleted {
				w.delete()
			}
			_, err := w.reconcileTraced(recorder)
			assert.Equal(t, tc.fails, err != nil, "%v", err)
			assert.Equal(t, tc.want, tree(recorder.Started()))
			everything := fmt.Sprintf("%+v", tracetest.SpanStubsFromReadOnlySpans(recorder.Ended()))
			assert.NotContains(t, everything, plantedToken)
			assert.NotContains(t, everything, plantedPassword)
			assert.Len(t, recorder.Ended(), len(recorder.Started()), "what began has ended")
		})
	}
}
