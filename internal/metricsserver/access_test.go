package metricsserver

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/client-go/rest"
)

// apiServer authenticates the tokens reader and stranger. Only the reader has permission to get /metrics.
type apiServer struct {
	*testing.T
	down             atomic.Bool
	requests         atomic.Int32
	reviewed         string // by the last SubjectAccessReview, as METHOD PATH
	reviewSpec       authorizationv1.SubjectAccessReviewSpec
	failsPermissions bool
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	if s.down.Load() || s.failsPermissions && strings.HasSuffix(r.URL.Path, "subjectaccessreviews") {
		http.Error(w, "down", http.StatusForbidden)
		return
	}
	var answer any
	if strings.HasSuffix(r.URL.Path, "tokenreviews") {
		review := &authenticationv1.TokenReview{}
		assert.NoError(s, json.NewDecoder(r.Body).Decode(review))
		if review.Spec.Token == "reader" || review.Spec.Token == "stranger" {
			review.Status = authenticationv1.TokenReviewStatus{Authenticated: true, User: authenticationv1.UserInfo{
				Username: review.Spec.Token, UID: "1", Groups: []string{"all"}, Extra: map[string]authenticationv1.ExtraValue{"pod": {"a"}},
			}}
		} else {
			review.Status.Error = "invalid bearer token" // as the real one answers
		}
		answer = review
	} else {
		review := &authorizationv1.SubjectAccessReview{}
		assert.NoError(s, json.NewDecoder(r.Body).Decode(review))
		s.reviewSpec = review.Spec
		s.reviewed = review.Spec.NonResourceAttributes.Verb + " " + review.Spec.NonResourceAttributes.Path
		review.Status.Allowed = review.Spec.User == "reader" && s.reviewed == "get /metrics"
		answer = review
	}
	w.Header().Set("Content-Type", "application/json")
	assert.NoError(s, json.NewEncoder(w).Encode(answer))
}

// filtered returns a handler behind the filter, and the filter's API server.
func filtered(t *testing.T) (*apiServer, http.Handler) {
	t.Helper()
	return filteredAt(t, time.Now)
}

func filteredAt(t *testing.T, now func() time.Time) (*apiServer, http.Handler) {
	t.Helper()
	server := &apiServer{T: t}
	served := httptest.NewServer(server)
	t.Cleanup(served.Close)
	config := &rest.Config{Host: served.URL, QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}
	a, err := newAccess(config, served.Client())
	require.NoError(t, err)
	a.now = now
	handler, err := a.filter(logr.Discard(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write([]byte("metrics"))
		assert.NoError(t, err)
	}))
	require.NoError(t, err)
	return server, handler
}

func get(t *testing.T, handler http.Handler, method, authorization string) *httptest.ResponseRecorder {
	t.Helper()
	return getFrom(t, handler, method, authorization, "192.0.2.1:1234")
}

func getFrom(t *testing.T, handler http.Handler, method, authorization, address string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "/metrics", http.NoBody)
	r.RemoteAddr = address
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	assert.Equal(t, w.Code == http.StatusOK, w.Body.String() == "metrics", "metrics are served to authorized requests only")
	assert.Equal(t, w.Code == http.StatusUnauthorized, w.Header().Get("WWW-Authenticate") == "Bearer")
	return w
}

func TestMetricsAreServedToRequestsThatTheAPIServerAllows(t *testing.T) {
	for name, tc := range map[string]struct {
		method, authorization string
		status                int
		reviews               int32
	}{
		"no token isn't reviewed":         {"GET", "", http.StatusUnauthorized, 0},
		"a password isn't reviewed":       {"GET", "Basic reader", http.StatusUnauthorized, 0},
		"an empty token isn't reviewed":   {"GET", "Bearer ", http.StatusUnauthorized, 0},
		"a made-up token":                 {"GET", "Bearer made-up", http.StatusUnauthorized, 1},
		"a user without permission":       {"GET", "Bearer stranger", http.StatusForbidden, 2},
		"a user with permission":          {"GET", "Bearer reader", http.StatusOK, 2},
		"the scheme in lower case":        {"GET", "bearer reader", http.StatusOK, 2},
		"permission to get isn't to post": {"POST", "Bearer reader", http.StatusForbidden, 2},
	} {
		t.Run(name, func(t *testing.T) {
			server, handler := filtered(t)
			assert.Equal(t, tc.status, get(t, handler, tc.method, tc.authorization).Code)
			assert.Equal(t, tc.reviews, server.requests.Load())
		})
	}
}

func TestAReviewHasTheWholeUser(t *testing.T) {
	server, handler := filtered(t)
	get(t, handler, http.MethodGet, "Bearer reader")
	assert.Equal(t, "get /metrics", server.reviewed)
	assert.Equal(t, "reader", server.reviewSpec.User)
	assert.Equal(t, "1", server.reviewSpec.UID)
	assert.Equal(t, []string{"all"}, server.reviewSpec.Groups)
	assert.Equal(t, map[string]authorizationv1.ExtraValue{"pod": {"a"}}, server.reviewSpec.Extra)
}

func TestADecisionIsCachedForTheSameRequestOnly(t *testing.T) {
	server, handler := filtered(t)
	for _, authorization := range []string{"Bearer reader", "Bearer stranger", "Bearer made-up"} {
		first := get(t, handler, http.MethodGet, authorization).Code
		before := server.requests.Load()
		assert.Equal(t, first, get(t, handler, http.MethodGet, authorization).Code)
		assert.Equal(t, before, server.requests.Load(), authorization)
	}
	assert.Equal(t, http.StatusForbidden, get(t, handler, http.MethodPost, "Bearer reader").Code, "another method is another request")
}

func TestErrorsOfTheAPIServerAreNotCached(t *testing.T) {
	server, handler := filtered(t)
	server.down.Store(true)
	assert.Equal(t, http.StatusInternalServerError, get(t, handler, http.MethodGet, "Bearer reader").Code)
	server.down.Store(false)
	server.failsPermissions = true
	assert.Equal(t, http.StatusInternalServerError, get(t, handler, http.MethodGet, "Bearer reader").Code)
	server.failsPermissions = false
	assert.Equal(t, http.StatusOK, get(t, handler, http.MethodGet, "Bearer reader").Code)
}
