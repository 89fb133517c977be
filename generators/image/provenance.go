package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	cdx "github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	slsa "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/aero-operator/aero/generators/internal/compile"
	"github.com/aero-operator/aero/generators/internal/sbom"
)

const (
	predicateType = "https://slsa.dev/provenance/v1"
	// buildType is where the parameters below are explained.
	buildType = source + "/blob/main/docs/user/image.md#provenance"
)

// newProvenance is a statement about all images that were built: from what, with which parameters, and by which builder. It has
// no time and no number of the build, so that two builds of one commit have the same.
func newProvenance(o options, i image, programs []compile.Program) ([]byte, error) {
	subjects, err := i.subjects()
	if err != nil {
		return nil, err
	}
	parameters, settings, err := o.parameters(programs)
	if err != nil {
		return nil, err
	}
	dependencies, err := o.dependencies(programs)
	if err != nil {
		return nil, err
	}
	predicate := &slsa.Provenance{
		BuildDefinition: &slsa.BuildDefinition{
			BuildType: buildType, ExternalParameters: parameters, InternalParameters: settings, ResolvedDependencies: dependencies,
		},
		RunDetails: &slsa.RunDetails{Builder: &slsa.Builder{Id: o.builder}},
	}
	statement := &intoto.Statement{Type: intoto.StatementTypeUri, Subject: subjects, PredicateType: predicateType, Predicate: &structpb.Struct{}}
	raw, err := protojson.Marshal(predicate)
	if err != nil {
		return nil, fmt.Errorf("writing the provenance: %w", err)
	}
	if err := errors.Join(predicate.Validate(), protojson.Unmarshal(raw, statement.GetPredicate()), statement.Validate()); err != nil {
		return nil, fmt.Errorf("checking the provenance: %w", err)
	}
	return indented(statement)
}

// indented is a statement as JSON that is the same for the same statement: that of protojson has spaces by chance.
func indented(statement *intoto.Statement) ([]byte, error) {
	raw, err := protojson.Marshal(statement)
	if err != nil {
		return nil, fmt.Errorf("writing the statement: %w", err)
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		return nil, fmt.Errorf("reading the statement: %w", err)
	}
	out, err := json.MarshalIndent(plain, "", "  ")
	return append(out, '\n'), err
}

// subjects are the index and the image of each platform.
func (i image) subjects() ([]*intoto.ResourceDescriptor, error) {
	digest, err := i.index.Digest()
	if err != nil {
		return nil, fmt.Errorf("reading the digest: %w", err)
	}
	all := []*intoto.ResourceDescriptor{subject("aero", digest)}
	for _, platform := range slices.Sorted(maps.Keys(i.platforms)) {
		digest, err := i.platforms[platform].Digest()
		if err != nil {
			return nil, fmt.Errorf("reading the digest for %s: %w", platform, err)
		}
		all = append(all, subject("aero for "+platform, digest))
	}
	return all, nil
}

func subject(name string, digest v1.Hash) *intoto.ResourceDescriptor {
	return &intoto.ResourceDescriptor{Name: name, Digest: map[string]string{digest.Algorithm: digest.Hex}}
}

// parameters are what the user of this command chooses, and what the go tool has recorded in each program.
func (o options) parameters(programs []compile.Program) (external, internal *structpb.Struct, err error) {
	var names []any
	settings := map[string]any{}
	for _, p := range programs {
		names = append(names, p.Platform.String())
		one := map[string]any{}
		for _, setting := range p.Info.Settings {
			one[setting.Key] = setting.Value
		}
		settings[p.Platform.String()] = one
	}
	external, err = structpb.NewStruct(map[string]any{
		"version": o.release.version, "platforms": names, "sourceDateEpoch": strconv.FormatInt(o.release.created.Unix(), 10),
	})
	if err != nil {
		return nil, nil, fmt.Errorf("writing the parameters: %w", err)
	}
	if internal, err = structpb.NewStruct(map[string]any{"settings": settings}); err != nil {
		return nil, nil, fmt.Errorf("writing the settings of the go tool: %w", err)
	}
	return external, internal, nil
}

// dependencies are the commit, what pins the modules, the release of Go, and the list of CA certificates. There is no base image.
func (o options) dependencies(programs []compile.Program) ([]*intoto.ResourceDescriptor, error) {
	all := []*intoto.ResourceDescriptor{{Uri: "git+" + source, Digest: map[string]string{"gitCommit": o.release.revision}}}
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(o.module, name))
		if errors.Is(err, fs.ErrNotExist) { // a module without dependencies has no go.sum
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading what pins the modules: %w", err)
		}
		all = append(all, &intoto.ResourceDescriptor{Name: name, Digest: map[string]string{"sha256": fmt.Sprintf("%x", sha256.Sum256(content))}})
	}
	list, err := authorities()
	if err != nil {
		return nil, err
	}
	return append(all, dependency(sbom.StandardLibrary(programs[0].Info)), dependency(list)), nil
}

// dependency is a component of the SBOM, with the checksum that go.sum has.
func dependency(c cdx.Component) *intoto.ResourceDescriptor {
	found := &intoto.ResourceDescriptor{Uri: c.PackageURL, Digest: map[string]string{}}
	if c.Hashes != nil {
		found.Digest["dirHash"] = (*c.Hashes)[0].Value
	}
	return found
}
