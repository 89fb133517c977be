package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/uuid"
	"github.com/package-url/packageurl-go"
)

// certificatesModule is where the CA certificates come from.
const certificatesModule = "golang.org/x/crypto/x509roots/fallback"

// newSBOM lists what is in the image with that digest, as a CycloneDX document: the modules of the programs, the standard
// library of Go, and the list of CA certificates. Who depends on whom isn't in a program, so it isn't in the list either.
func newSBOM(r release, subject v1.Hash, infos ...*debug.BuildInfo) ([]byte, error) {
	bom := cdx.NewBOM()
	// The number must be unique to the document and the same for two builds, so it follows from what the document is about.
	bom.SerialNumber = uuid.NewSHA1(uuid.NameSpaceURL, []byte(source+"@"+subject.String())).URN()
	bom.Metadata = &cdx.Metadata{
		Timestamp: r.created.Format(time.RFC3339),
		Component: &cdx.Component{
			BOMRef: subject.String(), Type: cdx.ComponentTypeContainer, Name: "aero", Version: r.version,
			PackageURL: packageurl.NewPackageURL(packageurl.TypeOCI, "", "aero", subject.String(), nil, "").ToString(),
		},
	}
	components := []cdx.Component{authorities()}
	for _, info := range infos {
		parts, err := modules(r, info)
		if err != nil {
			return nil, err
		}
		components = append(components, parts...)
	}
	slices.SortFunc(components, func(a, b cdx.Component) int { return cmp.Compare(a.BOMRef, b.BOMRef) })
	components = slices.CompactFunc(components, func(a, b cdx.Component) bool { return a.BOMRef == b.BOMRef })
	bom.Components = &components

	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return nil, fmt.Errorf("writing the SBOM: %w", err)
	}
	return out.Bytes(), nil
}

// modules lists what a program was linked from. The main module has no version of its own in a build from a clone.
func modules(r release, info *debug.BuildInfo) ([]cdx.Component, error) {
	release, _, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), " ")
	parts := []cdx.Component{
		component(cdx.ComponentTypeApplication, info.Main.Path, r.version),
		component(cdx.ComponentTypeLibrary, "stdlib", release),
	}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		part := component(cdx.ComponentTypeLibrary, module.Path, module.Version)
		if module.Sum != "" {
			sum, err := checksum(module.Sum)
			if err != nil {
				return nil, fmt.Errorf("reading the checksum of %s: %w", module.Path, err)
			}
			part.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: sum}}
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// authorities is the list of CA certificates, with the version of the module that this command was built with.
func authorities() cdx.Component {
	version := ""
	if own, ok := debug.ReadBuildInfo(); ok {
		for _, module := range own.Deps {
			if module.Path == certificatesModule {
				version = module.Version
			}
		}
	}
	return component(cdx.ComponentTypeData, certificatesModule, version)
}

// component names a Go module in the way that scanners expect.
func component(kind cdx.ComponentType, path, version string) cdx.Component {
	namespace, name := "", path
	if i := strings.LastIndex(path, "/"); i >= 0 {
		namespace, name = path[:i], path[i+1:]
	}
	url := packageurl.NewPackageURL(packageurl.TypeGolang, namespace, name, version, nil, "").ToString()
	return cdx.Component{BOMRef: url, Type: kind, Name: path, Version: version, PackageURL: url}
}

// checksum turns a line of go.sum ("h1:" and base64) into hexadecimal digits. It is the SHA-256 of the list of the
// module's files and their hashes.
func checksum(sum string) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sum, "h1:"))
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(raw), nil
}
