package metricsserver

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/time/rate"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	authentication "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorization "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	// reviewTimeout bounds the reviews of one request. Scrapers wait for ten seconds.
	reviewTimeout = 8 * time.Second
	// Decisions are cached for these times: a new permission counts soon, and one that is removed not for long.
	allowedTTL = time.Minute
	deniedTTL  = 10 * time.Second
	// maxDecisions bounds the cache: there are few scrapers, and made-up tokens must not fill the memory.
	maxDecisions = 256
	// reviewsPerSecond bounds the reviews of tokens, so that made-up ones can't load the API server.
	reviewsPerSecond = 10
	// retryAfter is the number of seconds after which there is a review again.
	retryAfter = "1"
)

// access authorizes metrics requests by the API server. It does in few lines what controller-runtime's filter does with
// the libraries of the API server: see docs/decisions/0017-own-access-to-metrics.md.
type access struct {
	tokens    authentication.TokenReviewInterface
	reviews   authorization.SubjectAccessReviewInterface
	decisions *cache.LRUExpireCache // of request to int, an HTTP status
	limiter   *rate.Limiter         // of TokenReviews
	now       func() time.Time
}

// request is what a decision depends on.
type request struct {
	token        [sha256.Size]byte // hashed, so that no token is kept
	method, path string
}

// newFilter is a server.Options.FilterProvider.
func newFilter(config *rest.Config, client *http.Client) (server.Filter, error) {
	a, err := newAccess(config, client)
	if err != nil {
		return nil, err
	}
	return a.filter, nil
}

func newAccess(config *rest.Config, client *http.Client) (*access, error) {
	tokens, err := authentication.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, fmt.Errorf("making a client for TokenReviews: %w", err)
	}
	reviews, err := authorization.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, fmt.Errorf("making a client for SubjectAccessReviews: %w", err)
	}
	return &access{
		tokens: tokens.TokenReviews(), reviews: reviews.SubjectAccessReviews(), decisions: cache.NewLRUExpireCache(maxDecisions),
		limiter: rate.NewLimiter(reviewsPerSecond, reviewsPerSecond), now: time.Now,
	}, nil
}

// filter answers 401 without authentication, 403 without permission, 429 if there were too many reviews, and 500 if the API
// server doesn't answer.
func (a *access) filter(log logr.Logger, handler http.Handler) (http.Handler, error) {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, err := a.decide(r)
		if err != nil {
			log.Error(err, "Cannot authenticate the metrics request")
		}
		switch status {
		case http.StatusOK:
			handler.ServeHTTP(w, r)
			return
		case http.StatusUnauthorized:
			w.Header().Set("WWW-Authenticate", "Bearer")
		case http.StatusTooManyRequests:
			w.Header().Set("Retry-After", retryAfter)
		}
		http.Error(w, http.StatusText(status), status)
	}), nil
}

// decide returns the HTTP status for a request, cached or by review. Errors are not cached.
func (a *access) decide(r *http.Request) (int, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if token = strings.TrimSpace(token); token == "" || !strings.EqualFold(scheme, "Bearer") {
		return http.StatusUnauthorized, nil
	}
	key := request{sha256.Sum256([]byte(token)), r.Method, r.URL.Path}
	if cached, found := a.decisions.Get(key); found {
		return cached.(int), nil
	}
	if !a.limiter.AllowN(a.now(), 1) {
		return http.StatusTooManyRequests, nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), reviewTimeout)
	defer cancel()
	status, err := a.review(ctx, token, key)
	switch {
	case err != nil:
		return http.StatusInternalServerError, err
	case status == http.StatusOK:
		a.decisions.Add(key, status, allowedTTL)
	default:
		a.decisions.Add(key, status, deniedTTL)
	}
	return status, nil
}

// review authenticates the token, and authorizes its user.
func (a *access) review(ctx context.Context, token string, asked request) (int, error) {
	authenticated, err := a.tokens.Create(ctx,
		&authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{})
	if err != nil {
		return 0, fmt.Errorf("reviewing a token: %w", err)
	}
	if !authenticated.Status.Authenticated { // an error in the status is about the token, too
		return http.StatusUnauthorized, nil
	}
	user := authenticated.Status.User
	extra := map[string]authorizationv1.ExtraValue{}
	for key, value := range user.Extra {
		extra[key] = authorizationv1.ExtraValue(value)
	}
	authorized, err := a.reviews.Create(ctx, &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user.Username, UID: user.UID, Groups: user.Groups, Extra: extra,
		NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: asked.path, Verb: strings.ToLower(asked.method)},
	}}, metav1.CreateOptions{})
	if err != nil {
		return 0, fmt.Errorf("reviewing the permissions of %s: %w", user.Username, err)
	}
	if !authorized.Status.Allowed {
		return http.StatusForbidden, nil
	}
	return http.StatusOK, nil
}
