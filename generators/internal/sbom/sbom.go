// Package sbom lists what is in the programs of a release, as CycloneDX documents: the modules that they were linked from, and the
// standard library of Go. Which module needs which isn't in a program, so it isn't in a list either.
package sbom

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
	"github.com/google/uuid"
	"github.com/package-url/packageurl-go"
)

// New is a document about a subject, whose identity is a URL that no other document is about. The number of the document must be
// unique and the same for two builds, so it follows from the identity.
func New(subject cdx.Component, identity string, created time.Time, components []cdx.Component) ([]byte, error) {
	bom := cdx.NewBOM()
	bom.SerialNumber = uuid.NewSHA1(uuid.NameSpaceURL, []byte(identity)).URN()
	bom.Metadata = &cdx.Metadata{Timestamp: created.Format(time.RFC3339), Component: &subject}
	slices.SortFunc(components, func(a, b cdx.Component) int { return cmp.Compare(a.BOMRef, b.BOMRef) })
	components = slices.CompactFunc(components, func(a, b cdx.Component) bool { return a.BOMRef == b.BOMRef })
	bom.Components = &components

	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return nil, fmt.Errorf("writing the SBOM: %w", err)
	}
	return out.Bytes(), nil
}

// Modules lists what a program was linked from. The main module has no version of its own in a build from a clone.
func Modules(version string, info *debug.BuildInfo) ([]cdx.Component, error) {
	parts := []cdx.Component{Component(cdx.ComponentTypeApplication, info.Main.Path, version), StandardLibrary(info)}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		part, err := Linked(cdx.ComponentTypeLibrary, module)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// StandardLibrary is that of the release of Go that a program was built with.
func StandardLibrary(info *debug.BuildInfo) cdx.Component {
	release, _, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), " ")
	return Component(cdx.ComponentTypeLibrary, "stdlib", release)
}

// Linked is a module with its checksum. One that is replaced by a folder has none.
func Linked(kind cdx.ComponentType, module *debug.Module) (cdx.Component, error) {
	part := Component(kind, module.Path, module.Version)
	if module.Sum == "" {
		return part, nil
	}
	sum, err := checksum(module.Sum)
	if err != nil {
		return part, fmt.Errorf("reading the checksum of %s: %w", module.Path, err)
	}
	part.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: sum}}
	return part, nil
}

// Component names a Go module in the way that scanners expect.
func Component(kind cdx.ComponentType, path, version string) cdx.Component {
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
