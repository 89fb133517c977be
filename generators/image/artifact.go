package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Types of documents.
const (
	sbomType       = "application/vnd.cyclonedx+json"
	provenanceType = "application/vnd.in-toto+json"
	envelopeType   = "application/vnd.dsse.envelope.v1+json"
)

const (
	// emptyType and emptyConfig are the empty config of the OCI image specification 1.1.
	emptyType   = types.MediaType("application/vnd.oci.empty.v1+json")
	emptyConfig = "{}"
)

// artifact is a document that a registry keeps beside an image: a manifest that names the document's type, and the image
// as its subject. Registries list it as a referrer of the image.
type artifact struct {
	manifest []byte
	document v1.Layer
}

var _ partial.CompressedImageCore = artifact{}

// titles are the names of files that tools which download artifacts give them.
var titles = map[string]string{sbomType: "sbom.cdx.json", provenanceType: "provenance.json", envelopeType: "provenance.dsse.json"}

// attach makes an artifact of a document of a type.
func attach(documentType string, content []byte, subject v1.Descriptor, r release) (v1.Image, error) {
	document := static.NewLayer(content, types.MediaType(documentType))
	layer, err := partial.Descriptor(document)
	if err != nil {
		return nil, fmt.Errorf("reading the digest of %s: %w", titles[documentType], err)
	}
	layer.Annotations = map[string]string{"org.opencontainers.image.title": titles[documentType]}
	config, size, err := v1.SHA256(bytes.NewReader([]byte(emptyConfig)))
	if err != nil {
		return nil, fmt.Errorf("reading the digest of the empty config: %w", err)
	}
	manifest, err := json.Marshal(v1.Manifest{
		SchemaVersion: 2,
		MediaType:     types.OCIManifestSchema1,
		ArtifactType:  documentType,
		Config:        v1.Descriptor{MediaType: emptyType, Digest: config, Size: size},
		Layers:        []v1.Descriptor{*layer},
		Subject:       &v1.Descriptor{MediaType: subject.MediaType, Digest: subject.Digest, Size: subject.Size},
		Annotations:   map[string]string{"org.opencontainers.image.created": r.created.Format(time.RFC3339)},
	})
	if err != nil {
		return nil, fmt.Errorf("writing the manifest of %s: %w", titles[documentType], err)
	}
	return partial.CompressedToImage(artifact{manifest: manifest, document: document})
}

// MediaType implements partial.CompressedImageCore.
func (artifact) MediaType() (types.MediaType, error) { return types.OCIManifestSchema1, nil }

// RawConfigFile implements partial.CompressedImageCore.
func (artifact) RawConfigFile() ([]byte, error) { return []byte(emptyConfig), nil }

// RawManifest implements partial.CompressedImageCore.
func (a artifact) RawManifest() ([]byte, error) { return a.manifest, nil }

// LayerByDigest implements partial.CompressedImageCore. There is one layer.
func (a artifact) LayerByDigest(v1.Hash) (partial.CompressedLayer, error) { return a.document, nil }
