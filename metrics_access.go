package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	authentication "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorization "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	// askPatience bounds the questions about one request. Scrapers wait for ten seconds.
	askPatience = 8 * time.Second
	// Answers are kept for these times: a new right soon counts, and one that was taken away not for long.
	keepYes = time.Minute
	keepNo  = 10 * time.Second
	// keepMost answers are kept: there are few scrapers, and inventing tokens must not fill the memory.
	keepMost = 256
)

// access lets those read metrics whom the API server allows to. It does in few lines what controller-runtime's filter does
// with the libraries of the API server: see docs/decisions/0017-own-access-to-metrics.md.
type access struct {
	tokens  authentication.TokenReviewInterface
	rights  authorization.SubjectAccessReviewInterface
	answers *cache.LRUExpireCache // of question to int, an HTTP status
}

// question is what an answer depends on.
type question struct {
	token        [sha256.Size]byte // hashed: a token isn't kept
	method, path string
}

// newAccess is a provider of filters for the metrics server.
func newAccess(config *rest.Config, client *http.Client) (metricsserver.Filter, error) {
	tokens, err := authentication.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, fmt.Errorf("making a client that reviews tokens: %w", err)
	}
	rights, err := authorization.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, fmt.Errorf("making a client that reviews rights: %w", err)
	}
	a := &access{tokens: tokens.TokenReviews(), rights: rights.SubjectAccessReviews(), answers: cache.NewLRUExpireCache(keepMost)}
	return a.filter, nil
}

// filter answers 401 to who isn't known, 403 to who may not read, and 500 if the API server can't be asked.
func (a *access) filter(log logr.Logger, handler http.Handler) (http.Handler, error) {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, err := a.ask(r)
		if err != nil {
			log.Error(err, "Who wants to read metrics can't be told")
		}
		switch status {
		case http.StatusOK:
			handler.ServeHTTP(w, r)
			return
		case http.StatusUnauthorized:
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
		http.Error(w, http.StatusText(status), status)
	}), nil
}

// ask returns the status that a request deserves, from an earlier answer if there is one. Errors are not kept.
func (a *access) ask(r *http.Request) (int, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if token = strings.TrimSpace(token); token == "" || !strings.EqualFold(scheme, "Bearer") {
		return http.StatusUnauthorized, nil
	}
	asked := question{sha256.Sum256([]byte(token)), r.Method, r.URL.Path}
	if known, found := a.answers.Get(asked); found {
		return known.(int), nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), askPatience)
	defer cancel()
	status, err := a.review(ctx, token, asked)
	switch {
	case err != nil:
		return http.StatusInternalServerError, err
	case status == http.StatusOK:
		a.answers.Add(asked, status, keepYes)
	default:
		a.answers.Add(asked, status, keepNo)
	}
	return status, nil
}

// review asks the API server whose token it is, and whether they may do this.
func (a *access) review(ctx context.Context, token string, asked question) (int, error) {
	who, err := a.tokens.Create(ctx, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{})
	if err != nil {
		return 0, fmt.Errorf("reviewing a token: %w", err)
	}
	if !who.Status.Authenticated { // whatever the error in the status is, it is about the token
		return http.StatusUnauthorized, nil
	}
	user := who.Status.User
	extra := map[string]authorizationv1.ExtraValue{}
	for key, value := range user.Extra {
		extra[key] = authorizationv1.ExtraValue(value)
	}
	may, err := a.rights.Create(ctx, &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user.Username, UID: user.UID, Groups: user.Groups, Extra: extra,
		NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: asked.path, Verb: strings.ToLower(asked.method)},
	}}, metav1.CreateOptions{})
	if err != nil {
		return 0, fmt.Errorf("reviewing the rights of %s: %w", user.Username, err)
	}
	if !may.Status.Allowed {
		return http.StatusForbidden, nil
	}
	return http.StatusOK, nil
}
