package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/client-go/rest"
)

// apiServer knows the tokens reader and stranger, of whom the reader may get /metrics, and none else.
type apiServer struct {
	*testing.T
	down        atomic.Bool
	asked       atomic.Int32 // how often it was asked
	mayDo       string       // the last question about rights, as METHOD PATH
	mayWho      authorizationv1.SubjectAccessReviewSpec
	failsRights bool
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked.Add(1)
	if s.down.Load() || s.failsRights && strings.HasSuffix(r.URL.Path, "subjectaccessreviews") {
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
			review.Status.Error = "invalid bearer token" // as the real one says
		}
		answer = review
	} else {
		review := &authorizationv1.SubjectAccessReview{}
		assert.NoError(s, json.NewDecoder(r.Body).Decode(review))
		s.mayWho = review.Spec
		s.mayDo = review.Spec.NonResourceAttributes.Verb + " " + review.Spec.NonResourceAttributes.Path
		review.Status.Allowed = review.Spec.User == "reader" && s.mayDo == "get /metrics"
		answer = review
	}
	w.Header().Set("Content-Type", "application/json")
	assert.NoError(s, json.NewEncoder(w).Encode(answer))
}

// guarded is a handler behind the filter, and the API server that it asks.
func guarded(t *testing.T) (*apiServer, http.Handler) {
	t.Helper()
	server := &apiServer{T: t}
	served := httptest.NewServer(server)
	t.Cleanup(served.Close)
	filter, err := newAccess(&rest.Config{Host: served.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}, served.Client())
	require.NoError(t, err)
	handler, err := filter(logr.Discard(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write([]byte("metrics"))
		assert.NoError(t, err)
	}))
	require.NoError(t, err)
	return server, handler
}

func asks(t *testing.T, handler http.Handler, method, authorization string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "/metrics", http.NoBody)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	assert.Equal(t, w.Code == http.StatusOK, w.Body.String() == "metrics", "only who may read gets something")
	assert.Equal(t, w.Code == http.StatusUnauthorized, w.Header().Get("WWW-Authenticate") == "Bearer")
	return w
}

func TestMetricsAreForWhomTheAPIServerAllows(t *testing.T) {
	for name, tc := range map[string]struct {
		method, authorization string
		status                int
		questions             int32
	}{
		"nobody isn't asked about":        {"GET", "", http.StatusUnauthorized, 0},
		"neither is a password":           {"GET", "Basic reader", http.StatusUnauthorized, 0},
		"nor an empty token":              {"GET", "Bearer ", http.StatusUnauthorized, 0},
		"a made-up token is nobody's":     {"GET", "Bearer made-up", http.StatusUnauthorized, 1},
		"somebody without the right":      {"GET", "Bearer stranger", http.StatusForbidden, 2},
		"somebody with the right":         {"GET", "Bearer reader", http.StatusOK, 2},
		"the scheme in lower case":        {"GET", "bearer reader", http.StatusOK, 2},
		"the right to get isn't to write": {"POST", "Bearer reader", http.StatusForbidden, 2},
	} {
		t.Run(name, func(t *testing.T) {
			server, handler := guarded(t)
			assert.Equal(t, tc.status, asks(t, handler, tc.method, tc.authorization).Code)
			assert.Equal(t, tc.questions, server.asked.Load())
		})
	}
}

func TestTheAPIServerIsToldWhoItIs(t *testing.T) {
	server, handler := guarded(t)
	asks(t, handler, http.MethodGet, "Bearer reader")
	assert.Equal(t, "get /metrics", server.mayDo)
	assert.Equal(t, "reader", server.mayWho.User)
	assert.Equal(t, "1", server.mayWho.UID)
	assert.Equal(t, []string{"all"}, server.mayWho.Groups)
	assert.Equal(t, map[string]authorizationv1.ExtraValue{"pod": {"a"}}, server.mayWho.Extra)
}

func TestAnAnswerIsKeptForTheSameQuestionOnly(t *testing.T) {
	server, handler := guarded(t)
	for _, authorization := range []string{"Bearer reader", "Bearer stranger", "Bearer made-up"} {
		first := asks(t, handler, http.MethodGet, authorization).Code
		before := server.asked.Load()
		assert.Equal(t, first, asks(t, handler, http.MethodGet, authorization).Code)
		assert.Equal(t, before, server.asked.Load(), authorization)
	}
	assert.Equal(t, http.StatusForbidden, asks(t, handler, http.MethodPost, "Bearer reader").Code, "another method is another question")
}

func TestAnAPIServerThatDoesNotAnswerIsAskedAgain(t *testing.T) {
	server, handler := guarded(t)
	server.down.Store(true)
	assert.Equal(t, http.StatusInternalServerError, asks(t, handler, http.MethodGet, "Bearer reader").Code)
	server.down.Store(false)
	server.failsRights = true
	assert.Equal(t, http.StatusInternalServerError, asks(t, handler, http.MethodGet, "Bearer reader").Code)
	server.failsRights = false
	assert.Equal(t, http.StatusOK, asks(t, handler, http.MethodGet, "Bearer reader").Code)
}
