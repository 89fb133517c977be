// Command bases prints the base images of a Dockerfile, as NAME=IMAGE for each of its build arguments that names one. A tag may be
// another image tomorrow, so a release asks for digests, which come from the registries.
//
// Usage, in the folder of this module; make docker-image hands the output on to docker build:
//
//	go run ./bases [--digests] DOCKERFILE
//
// An environment variable of the name replaces the image of the Dockerfile, such as GO_IMAGE=mirror.example.com/golang:1.26.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	digests := flag.Bool("digests", false, "resolve tags to digests")
	flag.Parse()
	if err := run(ctx, flag.Arg(0), *digests, os.Stdout); err != nil {
		log.Fatalf("bases: %v", err)
	}
}

// argument is a build argument above the first stage whose name ends like those of images.
var argument = regexp.MustCompile(`(?m)^ARG (\w+_IMAGE)=(\S+)$`)

func run(ctx context.Context, dockerfile string, digests bool, out io.Writer) error {
	content, err := os.ReadFile(dockerfile)
	if err != nil {
		return fmt.Errorf("reading the Dockerfile: %w", err)
	}
	found := argument.FindAllStringSubmatch(string(content), -1)
	if len(found) == 0 {
		return errors.New("the Dockerfile has no build argument such as ARG GO_IMAGE=golang:1.26")
	}
	for _, one := range found {
		image := one[2]
		if replacement := os.Getenv(one[1]); replacement != "" {
			image = replacement
		}
		if digests {
			if image, err = resolve(ctx, image); err != nil {
				return fmt.Errorf("%s: %w", one[1], err)
			}
		}
		if _, err := fmt.Fprintf(out, "%s=%s\n", one[1], image); err != nil {
			return err
		}
	}
	return nil
}

// resolve adds the digest to a tag. An image that is named by its digest stays as it is.
func resolve(ctx context.Context, image string) (string, error) {
	reference, err := name.ParseReference(image)
	if err != nil {
		return "", fmt.Errorf("reading the name of the image: %w", err)
	}
	if _, exact := reference.(name.Digest); exact {
		return image, nil
	}
	found, err := remote.Head(reference, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain))
	if err != nil {
		return "", fmt.Errorf("finding the digest of %s: %w", image, err)
	}
	return image + "@" + found.Digest.String(), nil
}
