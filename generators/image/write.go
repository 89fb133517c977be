package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// writeLayout replaces an OCI layout, which appears whole or not at all. The index has the image's tag; what is attached has none
// and is found by its subject.
func writeLayout(folder string, built image) error {
	partial := folder + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return fmt.Errorf("removing what an earlier build left: %w", err)
	}
	defer func() { _ = os.RemoveAll(partial) }()
	path, err := layout.Write(partial, empty.Index)
	if err != nil {
		return fmt.Errorf("creating the OCI layout: %w", err)
	}
	tag := map[string]string{"org.opencontainers.image.ref.name": built.tag}
	if err := path.AppendIndex(built.index, layout.WithAnnotations(tag)); err != nil {
		return fmt.Errorf("writing the image: %w", err)
	}
	for _, one := range built.attached {
		if err := path.AppendImage(one); err != nil {
			return fmt.Errorf("writing what is attached to the image: %w", err)
		}
	}
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("removing the previous image: %w", err)
	}
	if err := os.Rename(partial, folder); err != nil {
		return fmt.Errorf("putting the image in place: %w", err)
	}
	return nil
}

// writeDocuments writes what is attached to the index and needs no registry to be read.
func writeDocuments(folder string, built image) error {
	for documentType, content := range map[string][]byte{provenanceType: built.provenance, sbomType: built.sbom} {
		if err := os.WriteFile(filepath.Join(folder, titles[documentType]), content, 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", titles[documentType], err)
		}
	}
	return nil
}

// writeTarball writes the image for one platform in the way of docker save, called aero and the version. If there is no
// image for the platform, there is no tarball.
func writeTarball(path string, platform v1.Platform, built image) error {
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("removing the previous tarball: %w", err)
	}
	one, ok := built.platforms[platform.String()]
	if !ok {
		return nil
	}
	tag, err := name.NewTag("aero:" + built.tag)
	if err != nil {
		return fmt.Errorf("naming the image: %w", err)
	}
	partial := path + ".partial"
	defer func() { _ = os.RemoveAll(partial) }()
	if err := tarball.WriteToFile(partial, tag, one); err != nil {
		return fmt.Errorf("writing the tarball: %w", err)
	}
	if err := os.Rename(partial, path); err != nil {
		return fmt.Errorf("putting the tarball in place: %w", err)
	}
	return nil
}

// report says what was written, with the size of what has to be pulled for each platform.
func (i image) report(out io.Writer, o options) error {
	for _, platform := range slices.Sorted(maps.Keys(i.platforms)) {
		digest, err := i.platforms[platform].Digest()
		if err != nil {
			return fmt.Errorf("reading the digest for %s: %w", platform, err)
		}
		size, err := pulled(i.platforms[platform])
		if err != nil {
			return fmt.Errorf("reading the size for %s: %w", platform, err)
		}
		if _, err := fmt.Fprintf(out, "%-11s  %s  %.1f MiB compressed\n", platform, digest, float64(size)/(1<<20)); err != nil {
			return err
		}
	}
	digest, err := i.index.Digest()
	if err != nil {
		return fmt.Errorf("reading the digest: %w", err)
	}
	_, err = fmt.Fprintf(out, "%-11s  %s  as OCI layout in %s, tag %s\n", "index", digest, filepath.Join(o.out, "image"), i.tag)
	if _, ok := i.platforms[o.machine.String()]; !ok || err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%-11s  aero:%s for %s, for docker load\n", "image.tar", i.tag, o.machine)
	return err
}

// pulled is the size of manifest, config and layers in bytes.
func pulled(one v1.Image) (int64, error) {
	size, err := one.Size()
	if err != nil {
		return 0, err
	}
	manifest, err := one.Manifest()
	if err != nil {
		return 0, err
	}
	for _, layer := range manifest.Layers {
		size += layer.Size
	}
	return size + manifest.Config.Size, nil
}
