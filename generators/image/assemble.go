package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/aero-operator/aero/generators/internal/compile"
)

// What the Dockerfile says, too: a test compares.
const (
	user        = "65532:65532" // a number, as runAsNonRoot can't verify a name
	managerPath = "manager"
	bundlePath  = "etc/ssl/certs/ca-certificates.crt" // the first that Go reads
)

const source = "https://github.com/aero-operator/aero"

// image is what was built.
type image struct {
	tag        string
	index      v1.ImageIndex
	platforms  map[string]v1.Image // by platform, such as linux/amd64
	attached   []v1.Image          // SBOMs of the index and of each platform's image, and the index's provenance
	provenance []byte              // in JSON
	sbom       []byte              // that of the index, in JSON
}

// labels says what the image is, in the words of the OCI image specification.
func (r release) labels() map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":       "aero",
		"org.opencontainers.image.description": "Kubernetes operator for Aiven",
		"org.opencontainers.image.source":      source,
		"org.opencontainers.image.version":     r.version,
		"org.opencontainers.image.revision":    r.revision,
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.created":     r.created.Format(time.RFC3339),
	}
}

// assemble makes one index of the programs.
func assemble(r release, programs []compile.Program) (image, error) {
	built := image{tag: r.version, platforms: map[string]v1.Image{}}
	bundle, err := certificates()
	if err != nil {
		return built, err
	}
	shared, err := newLayer(bundlePath, 0o644, bundle)
	if err != nil {
		return built, err
	}
	built.index = mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	var infos []*debug.BuildInfo
	for _, p := range programs {
		one, err := newImage(r, p, shared)
		if err != nil {
			return built, fmt.Errorf("putting together the image for %s: %w", p.Platform, err)
		}
		if _, err := built.describe(r, one, p.Info); err != nil {
			return built, err
		}
		built.platforms[p.Platform.String()] = one
		built.index = mutate.AppendManifests(built.index, mutate.IndexAddendum{Add: one, Descriptor: v1.Descriptor{Platform: &p.Platform}})
		infos = append(infos, p.Info)
	}
	built.index = mutate.Annotations(built.index, r.labels()).(v1.ImageIndex)
	built.sbom, err = built.describe(r, built.index, infos...)
	return built, err
}

// newImage makes the image for one platform. The program is the last layer, since it is what changes.
func newImage(r release, p compile.Program, certificates v1.Layer) (v1.Image, error) {
	manager, err := newLayer(managerPath, 0o755, p.Binary)
	if err != nil {
		return nil, err
	}
	created := v1.Time{Time: r.created}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	base, err = mutate.ConfigFile(base, &v1.ConfigFile{
		OS:           p.Platform.OS,
		Architecture: p.Platform.Architecture,
		Created:      created,
		RootFS:       v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User:       user,
			Entrypoint: []string{"/" + managerPath},
			Env: []string{
				"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
				"SSL_CERT_FILE=/" + bundlePath,
			},
			WorkingDir: "/",
			Labels:     r.labels(),
		},
	})
	if err != nil {
		return nil, err
	}
	full, err := mutate.Append(base,
		mutate.Addendum{Layer: certificates, History: v1.History{Created: created, CreatedBy: "make image: CA certificates"}},
		mutate.Addendum{Layer: manager, History: v1.History{Created: created, CreatedBy: "make image: manager"}})
	if err != nil {
		return nil, err
	}
	return mutate.Annotations(full, r.labels()).(v1.Image), nil
}

// describe adds the SBOM of an image or of the index, and returns it.
func (i *image) describe(r release, subject partial.Describable, infos ...*debug.BuildInfo) ([]byte, error) {
	descriptor, err := partial.Descriptor(subject)
	if err != nil {
		return nil, fmt.Errorf("reading the digest of what the SBOM is about: %w", err)
	}
	document, err := newSBOM(r, descriptor.Digest, infos...)
	if err != nil {
		return nil, err
	}
	return document, i.attach(sbomType, document, *descriptor, r)
}

// attest adds the provenance of all images to the index, and beside it the signed one if there is a key.
func (i *image) attest(ctx context.Context, o options, programs []compile.Program) error {
	descriptor, err := partial.Descriptor(i.index)
	if err != nil {
		return fmt.Errorf("reading the digest of what the provenance is about: %w", err)
	}
	if i.provenance, err = newProvenance(o, *i, programs); err != nil {
		return err
	}
	if err := i.attach(provenanceType, i.provenance, *descriptor, o.release); err != nil || o.signer == nil {
		return err
	}
	signed, err := sign(ctx, o.signer, i.provenance)
	if err != nil {
		return err
	}
	return i.attach(envelopeType, signed, *descriptor, o.release)
}

func (i *image) attach(documentType string, content []byte, subject v1.Descriptor, r release) error {
	attached, err := attach(documentType, content, subject, r)
	if err != nil {
		return err
	}
	i.attached = append(i.attached, attached)
	return nil
}
