package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// errNotBuilt is what bin has before make image, or after that of another commit.
var errNotBuilt = errors.New("it isn't the image of this release: run make release, which builds it")

// writeImage writes the image and what is known of it, and returns the digest of its index.
func (o options) writeImage() (string, error) {
	folder := filepath.Join(o.image, "image")
	digest, err := o.digestOf(folder)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", folder, err)
	}
	for from, to := range map[string]string{"provenance.json": "aero-image.provenance.json", "sbom.cdx.json": "aero-image.cdx.json"} {
		content, err := os.ReadFile(filepath.Join(o.image, from))
		if err != nil {
			return "", fmt.Errorf("reading what make image has written: %w", err)
		}
		if err := os.WriteFile(filepath.Join(o.out, to), content, 0o644); err != nil {
			return "", fmt.Errorf("writing %s: %w", to, err)
		}
	}
	return digest, writeLayout(filepath.Join(o.out, "aero-image-"+o.version+".oci.tar"), folder, o.created)
}

// digestOf is that of the index with the version as its tag, built of this commit.
func (o options) digestOf(folder string) (string, error) {
	images, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		return "", err
	}
	manifest, err := images.IndexManifest()
	if err != nil {
		return "", err
	}
	for _, one := range manifest.Manifests {
		if one.Annotations["org.opencontainers.image.ref.name"] != o.version {
			continue
		}
		index, err := images.ImageIndex(one.Digest)
		if err != nil {
			return "", err
		}
		content, err := index.IndexManifest()
		if err != nil {
			return "", err
		}
		if content.Annotations["org.opencontainers.image.revision"] == o.revision {
			return one.Digest.String(), nil
		}
	}
	return "", errNotBuilt
}
