package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	slsa "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"google.golang.org/protobuf/encoding/protojson"
)

// maxEnvelope is more than a signed provenance takes.
const maxEnvelope = 4 << 20

// errUnsigned is the end of a verification that has found no valid signature.
var errUnsigned = errors.New("no provenance that is attached to it has a signature of this key")

// verify finds the signed provenance of an image in a registry, and prints what it states. What another key has signed, and what is
// about another image, counts as nothing: a registry may hold any number of both.
func verify(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("verify", flag.ContinueOnError)
	file := flags.String("key", "", "file with the ECDSA P-256 public key in PEM")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	} else if err != nil {
		return err
	}
	reference, err := name.ParseReference(flags.Arg(0), name.StrictValidation)
	if err != nil || flags.NArg() != 1 {
		return fmt.Errorf("verify: %q names no image: set IMAGE to REGISTRY/NAME:TAG, or to REGISTRY/NAME@DIGEST", flags.Arg(0))
	}
	key, _, err := readKey(*file)
	if err != nil {
		return err
	}
	verifier, err := dsse.NewEnvelopeVerifier(key)
	if err != nil {
		return fmt.Errorf("verifying with the key: %w", err)
	}
	options := []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
	head, err := remote.Head(reference, options...)
	if err != nil {
		return fmt.Errorf("finding %s: %w", reference, err)
	}
	subject := reference.Context().Digest(head.Digest.String())
	envelopes, skipped, err := envelopesOf(subject, options)
	if err != nil {
		return err
	}
	for _, envelope := range envelopes {
		stated, err := statementOf(ctx, verifier, envelope, head.Digest)
		if err == nil {
			return show(out, subject, stated)
		}
	}
	return errors.Join(fmt.Errorf("%s: %w", subject, errUnsigned), skipped)
}

// envelopesOf reads the signed documents that a registry lists as referrers of an image. Who may push to the repository can attach what
// can't be read, and mustn't keep the others from counting: skipped has the errors of these.
func envelopesOf(subject name.Digest, options []remote.Option) (found []*dsse.Envelope, skipped, err error) {
	index, err := remote.Referrers(subject, options...)
	if err != nil {
		return nil, nil, fmt.Errorf("listing what is attached to %s: %w", subject, err)
	}
	referrers, err := index.IndexManifest()
	if err != nil {
		return nil, nil, fmt.Errorf("reading what is attached to %s: %w", subject, err)
	}
	for _, one := range referrers.Manifests {
		envelope, err := envelopeOf(subject.Digest(one.Digest.String()), options)
		switch {
		case err != nil:
			skipped = errors.Join(skipped, fmt.Errorf("skipped %s, which is attached to it: %w", one.Digest, err))
		case envelope != nil:
			found = append(found, envelope)
		}
	}
	return found, skipped, nil
}

// envelopeOf is nil for documents of other types. Not every registry lists the types of referrers, so the manifest counts.
func envelopeOf(artifact name.Digest, options []remote.Option) (*dsse.Envelope, error) {
	attached, err := remote.Image(artifact, options...)
	if err != nil {
		return nil, err
	}
	manifest, err := attached.Manifest()
	if err != nil {
		return nil, err
	}
	if manifest.ArtifactType != envelopeType || len(manifest.Layers) != 1 {
		return nil, nil
	}
	document, err := remote.Layer(artifact.Digest(manifest.Layers[0].Digest.String()), options...)
	if err != nil {
		return nil, err
	}
	content, err := document.Compressed() // as it is: nothing of it is compressed
	if err != nil {
		return nil, err
	}
	defer func() { _ = content.Close() }()
	envelope := new(dsse.Envelope)
	return envelope, json.NewDecoder(io.LimitReader(content, maxEnvelope)).Decode(envelope)
}

// statementOf is the provenance in an envelope whose signature is valid and which is about this digest.
func statementOf(ctx context.Context, verifier *dsse.EnvelopeVerifier, envelope *dsse.Envelope, digest v1.Hash) (*slsa.Provenance, error) {
	_, payload, err := verifier.VerifyAndDecode(ctx, envelope)
	if err != nil {
		return nil, err
	}
	statement, stated := new(intoto.Statement), new(slsa.Provenance)
	if err := errors.Join(protojson.Unmarshal(payload, statement), statement.Validate()); err != nil {
		return nil, err
	}
	about := slices.ContainsFunc(statement.GetSubject(), func(s *intoto.ResourceDescriptor) bool {
		return s.GetDigest()[digest.Algorithm] == digest.Hex
	})
	if envelope.PayloadType != provenanceType || statement.GetPredicateType() != predicateType || !about {
		return nil, errUnsigned
	}
	raw, err := protojson.Marshal(statement.GetPredicate())
	if err != nil {
		return nil, err
	}
	return stated, protojson.Unmarshal(raw, stated)
}

// show prints what a reader compares with what is expected.
func show(out io.Writer, subject name.Digest, stated *slsa.Provenance) error {
	definition := stated.GetBuildDefinition()
	revision := ""
	for _, one := range definition.GetResolvedDependencies() {
		if digest := one.GetDigest()["gitCommit"]; digest != "" {
			revision = digest
		}
	}
	_, err := fmt.Fprintf(out, "verified %s\nversion  %s\ncommit   %s\nbuilder  %s\n", subject,
		definition.GetExternalParameters().GetFields()["version"].GetStringValue(), revision, stated.GetRunDetails().GetBuilder().GetId())
	return err
}
