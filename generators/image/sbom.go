package main

import (
	"fmt"
	"runtime/debug"

	cdx "github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/package-url/packageurl-go"

	"github.com/aero-operator/aero/generators/internal/sbom"
)

// certificatesModule is where the CA certificates come from.
const certificatesModule = "golang.org/x/crypto/x509roots/fallback"

// newSBOM lists what is in the image with that digest: the modules of the programs, the standard library of Go, and the list of CA
// certificates.
func newSBOM(r release, subject v1.Hash, infos ...*debug.BuildInfo) ([]byte, error) {
	list, err := authorities()
	if err != nil {
		return nil, err
	}
	components := []cdx.Component{list}
	for _, info := range infos {
		parts, err := sbom.Modules(r.version, info)
		if err != nil {
			return nil, err
		}
		components = append(components, parts...)
	}
	return sbom.New(cdx.Component{
		BOMRef: subject.String(), Type: cdx.ComponentTypeContainer, Name: "aero", Version: r.version,
		PackageURL: packageurl.NewPackageURL(packageurl.TypeOCI, "", "aero", subject.String(), nil, "").ToString(),
	}, source+"@"+subject.String(), r.created, components)
}

// authorities is the list of CA certificates: the module that this command was built with.
func authorities() (cdx.Component, error) {
	if own, ok := debug.ReadBuildInfo(); ok {
		for _, module := range own.Deps {
			if module.Path == certificatesModule {
				return sbom.Linked(cdx.ComponentTypeData, module)
			}
		}
	}
	return cdx.Component{}, fmt.Errorf("this command was built without its list of modules, of which %s is one", certificatesModule)
}
