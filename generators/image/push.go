package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// push sends an image to a registry, with the credentials of docker login. The tag comes last: who pulls it finds all that
// belongs to it.
func push(ctx context.Context, tag name.Tag, built image) error {
	options := []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
	digest, err := built.index.Digest()
	if err != nil {
		return fmt.Errorf("reading the digest: %w", err)
	}
	if err := remote.WriteIndex(tag.Digest(digest.String()), built.index, options...); err != nil {
		return refusal(tag, err)
	}
	for _, one := range built.attached {
		digest, err := one.Digest()
		if err != nil {
			return fmt.Errorf("reading the digest of what is attached to the image: %w", err)
		}
		if err := remote.Write(tag.Digest(digest.String()), one, options...); err != nil {
			return refusal(tag, err)
		}
	}
	if err := remote.Tag(tag, built.index, options...); err != nil {
		return refusal(tag, err)
	}
	return nil
}

// refusal puts into one line why a push failed. What registries and proxies answer may be a page of HTML.
func refusal(tag name.Tag, err error) error {
	var answer *transport.Error
	if !errors.As(err, &answer) {
		return fmt.Errorf("pushing to %s: %w", tag, err)
	}
	said := fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	for _, one := range answer.Errors {
		said += fmt.Sprintf(", %s %s", one.Code, one.Message)
	}
	remedy := "ask who runs it"
	switch answer.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		remedy = "run docker login " + tag.RegistryStr() + " with an account that may push there"
	case http.StatusNotFound:
		remedy = "create the repository " + tag.RepositoryStr() + " first, or name another one"
	}
	return fmt.Errorf("pushing to %s: the registry refuses it (%s): %s", tag, strings.Join(strings.Fields(said), " "), remedy)
}
