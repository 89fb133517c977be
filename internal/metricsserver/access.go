package metricsserver

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net"
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
	// knownTTL is how long a token that was allowed has reviews of its own.
	knownTTL = time.Hour
	// sourceTTL is longer than the limiter of a source takes to fill up.
	sourceTTL = time.Minute
	// maxEntries bounds each cache: there are few scrapers, and made-up tokens must not fill the memory.
	maxEntries = 256
	// reviewsPerSecond bounds the reviews of known tokens, and as many of all others, so that made-up ones can't load the
	// API server.
	reviewsPerSecond = 10
	// reviewsPerSource bounds the reviews of unknown tokens from one address, so that a few clients leave some to others.
	reviewsPerSource = 2
	sourceBurst      = 5
	// retryAfter is the number of seconds after which there is a review again.
	retryAfter = "1"
)

// access authorizes metrics requests by the API server. It does in few lines what controller-runtime's filter does with
// the libraries of the API server: see docs/decisions/0017-own-access-to-metrics.md.
type access struct {
	tokens          authentication.TokenReviewInterface
	reviews         authorization.SubjectAccessReviewInterface
	allowed, denied *cache.LRUExpireCache // of request to int, an HTTP status: made-up tokens can't displace allowed ones
	known           *cache.LRUExpireCache // hashes of tokens that were allowed
	sources         *cache.LRUExpireCache // of address to *rate.Limiter
	reserved        *rate.Limiter         // of TokenReviews of known tokens
	shared          *rate.Limiter         // of all other TokenReviews
	now             func() time.Time
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
	a := &access{
		tokens: tokens.TokenReviews(), reviews: reviews.SubjectAccessReviews(), now: time.Now,
		reserved: rate.NewLimiter(reviewsPerSecond, reviewsPerSecond), shared: rate.NewLimiter(reviewsPerSecond, reviewsPerSecond),
	}
	newCache := func() *cache.LRUExpireCache { return cache.NewLRUExpireCacheWithClock(maxEntries, a) }
	a.allowed, a.denied, a.known, a.sources = newCache(), newCache(), newCache(), newCache()
	return a, nil
}

// Now implements cache.Clock.
func (a *access) Now() time.Time { return a.now() }

// filter answers 401 without authentication, 403 without permission, 429 if there were too many reviews, and 500 if the API
// server doesn't answer.
func (a *access) filter(log logr.Logger, handler http.Handler) (http.Handler, error) {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, err := a.decide(r)
		if err != nil {
			log.Error(err, "Could not authenticate the metrics request")
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
	for _, decisions := range []*cache.LRUExpireCache{a.allowed, a.denied} {
		if cached, found := decisions.Get(key); found {
			return cached.(int), nil
		}
	}
	if !a.mayReview(key.token, r.RemoteAddr) {
		return http.StatusTooManyRequests, nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), reviewTimeout)
	defer cancel()
	status, err := a.review(ctx, token, key)
	switch {
	case err != nil:
		return http.StatusInternalServerError, err
	case status == http.StatusOK:
		a.allowed.Add(key, status, allowedTTL)
		a.known.Add(key.token, nil, knownTTL)
	default:
		a.denied.Add(key, status, deniedTTL)
	}
	return status, nil
}

// mayReview reports whether the rates allow a review. Known tokens don't compete with others. A source that has used up
// its reviews takes none of the shared ones.
func (a *access) mayReview(token [sha256.Size]byte, address string) bool {
	now := a.now()
	if _, known := a.known.Get(token); known {
		return a.reserved.AllowN(now, 1)
	}
	source, _, err := net.SplitHostPort(address)
	if err != nil {
		source = address
	}
	limiter, found := a.sources.Get(source)
	if !found {
		limiter = rate.NewLimiter(reviewsPerSource, sourceBurst)
		a.sources.Add(source, limiter, sourceTTL)
	}
	return limiter.(*rate.Limiter).AllowN(now, 1) && a.shared.AllowN(now, 1)
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
