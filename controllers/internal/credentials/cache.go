package credentials

import (
	"context"
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/aero-operator/aero/controllers/internal/enqueue"
)

// Cache keeps each token as long as the version of its Secret is the same: thousands of objects share one, and reading
// it for each of them is much of the API server's load. A nil Cache keeps nothing. It is safe for concurrent use.
type Cache struct {
	// Metadata reads the metadata of Secrets from the cache of a watch.
	Metadata client.Reader
	// OnForget is called with a token that was replaced in its Secret, or whose Secret is gone or named by no object, unless
	// another Secret has it too; nil if that isn't needed. It MUST NOT block.
	OnForget func(Token)

	mu     sync.Mutex
	tokens map[source]cached
}

// source is where a token comes from.
type source struct {
	secret types.NamespacedName
	key    string
}

type cached struct {
	version string
	token   Token
}

// get returns the token if its Secret has the version that the token was read from.
func (c *Cache) get(ctx context.Context, secret types.NamespacedName, key string) (Token, bool) {
	if c == nil {
		return Token{}, false
	}
	c.mu.Lock()
	found, known := c.tokens[source{secret, key}]
	c.mu.Unlock()
	if !known {
		return Token{}, false
	}
	meta := &metav1.PartialObjectMetadata{}
	meta.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	err := c.Metadata.Get(ctx, secret, meta)
	if apierrors.IsNotFound(err) {
		c.Forget(secret)
	}
	if err != nil || meta.ResourceVersion != found.version {
		return Token{}, false
	}
	return found.token, true
}

// put keeps a token. Another one that was read from the same key before is forgotten.
func (c *Cache) put(secret types.NamespacedName, key, version string, token Token) {
	c.change(func() {
		if c.tokens == nil {
			c.tokens = map[source]cached{}
		}
		c.tokens[source{secret, key}] = cached{version, token}
	})
}

// keys are the keys of a Secret that tokens were read from.
func (c *Cache) keys(secret types.NamespacedName) (keys []string) {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for from := range c.tokens {
		if from.secret == secret {
			keys = append(keys, from.key)
		}
	}
	return keys
}

// Forget drops the tokens of a Secret that is gone, or that no object names any longer.
func (c *Cache) Forget(secret types.NamespacedName) {
	c.change(func() {
		maps.DeleteFunc(c.tokens, func(from source, _ cached) bool { return from.secret == secret })
	})
}

// forgetKey drops the token of a key that a Secret no longer has, or whose value is no token any longer.
func (c *Cache) forgetKey(secret types.NamespacedName, key string) {
	c.change(func() { delete(c.tokens, source{secret, key}) })
}

// change applies an edit of the cache and calls OnForget for each token that is in it no longer.
func (c *Cache) change(edit func()) {
	if c == nil {
		return
	}
	c.mu.Lock()
	before := c.distinct()
	edit()
	after := c.distinct()
	c.mu.Unlock()
	for secret, token := range before {
		if _, still := after[secret]; !still && c.OnForget != nil {
			c.OnForget(token)
		}
	}
}

// distinct are the tokens in the cache by what they reveal. There are as many as Secrets with tokens, which are few.
func (c *Cache) distinct() map[string]Token {
	tokens := map[string]Token{}
	for _, entry := range c.tokens {
		tokens[entry.token.Reveal()] = entry.token
	}
	return tokens
}

// Deletions handles the events of Secrets: it forgets the tokens of those that are gone, and enqueues nothing.
func (c *Cache) Deletions() handler.EventHandler {
	return handler.Funcs{DeleteFunc: func(_ context.Context, e event.DeleteEvent, _ enqueue.Queue) {
		c.Forget(client.ObjectKeyFromObject(e.Object))
	}}
}
