package credentials

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Cache remembers tokens as long as the version of their Secret stays: thousands of objects share one, and reading it for
// each of them is much of what the API server would have to do. A nil Cache remembers nothing. It is safe for concurrent
// use.
type Cache struct {
	// Metadata reads the metadata of Secrets from the cache of a watch.
	Metadata client.Reader
	tokens   sync.Map // source to remembered
}

// source is where a token comes from.
type source struct {
	secret types.NamespacedName
	key    string
}

type remembered struct {
	version string
	token   Token
}

// get returns the token if the Secret is what it was when the token was read.
func (c *Cache) get(ctx context.Context, secret types.NamespacedName, key string) (Token, bool) {
	if c == nil {
		return Token{}, false
	}
	found, known := c.tokens.Load(source{secret, key})
	if !known {
		return Token{}, false
	}
	meta := &metav1.PartialObjectMetadata{}
	meta.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	if err := c.Metadata.Get(ctx, secret, meta); err != nil || meta.ResourceVersion != found.(remembered).version {
		c.tokens.Delete(source{secret, key})
		return Token{}, false
	}
	return found.(remembered).token, true
}

// keep remembers a token.
func (c *Cache) keep(secret types.NamespacedName, key, version string, token Token) {
	if c != nil {
		c.tokens.Store(source{secret, key}, remembered{version, token})
	}
}
