package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/aero-operator/aero/generators/internal/compile"
	"github.com/aero-operator/aero/generators/internal/sbom"
)

// plugin is the name of the program, and the last element of its package.
const plugin = "kubectl-aero"

// source is the repository: with the package in it, it identifies the document about the plugin.
const source = "https://github.com/aero-operator/aero"

// writePlugins compiles the plugin, and writes an archive for each platform, the manifest for krew with their checksums, and the SBOM.
func (o options) writePlugins(ctx context.Context, out io.Writer) error {
	license, err := os.ReadFile(filepath.Join(o.root, "LICENSE"))
	if err != nil {
		return fmt.Errorf("reading the license: %w", err)
	}
	programs, err := compile.All(ctx, out, compile.Order{
		Module: o.root, Package: "./cmd/" + plugin, Version: o.version, Platforms: o.platforms, Scratch: o.out,
	})
	if err != nil {
		return err
	}
	fields := []string{"${VERSION}", o.version}
	for _, p := range programs {
		name, content, err := o.archive(p, license)
		if err != nil {
			return fmt.Errorf("packing the plugin for %s: %w", p.Platform, err)
		}
		if err := os.WriteFile(filepath.Join(o.out, name), content, 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		fields = append(fields, checksumField(p.Platform), fmt.Sprintf("%x", sha256.Sum256(content)))
	}
	if err := o.writeKrew(fields); err != nil {
		return err
	}
	return o.writePluginSBOM(programs)
}

// archive is the program with the license, which krew asks for.
func (o options) archive(p compile.Program, license []byte) (name string, content []byte, err error) {
	name = plugin + "_" + p.Platform.OS + "_" + p.Platform.Architecture
	members := []member{{name: "LICENSE", mode: 0o644, content: license}, {name: plugin, mode: 0o755, content: p.Binary}}
	if p.Platform.OS != "windows" {
		content, err = gzipped(o.created, members)
		return name + ".tar.gz", content, err
	}
	members[1].name += ".exe"
	content, err = zipped(o.created, members)
	return name + ".zip", content, err
}

// checksumField is what the manifest in config/krew has for the checksum of an archive.
func checksumField(p v1.Platform) string {
	return "${SHA256_" + strings.ToUpper(p.OS+"_"+p.Architecture) + "}"
}

// writeKrew fills in the manifest of config/krew. It names each platform, so a field that is left is one that wasn't compiled.
func (o options) writeKrew(fields []string) error {
	template, err := os.ReadFile(filepath.Join(o.root, "config/krew/aero.yaml"))
	if err != nil {
		return fmt.Errorf("reading the manifest for krew: %w", err)
	}
	_, text, _ := strings.Cut(string(template), "\n") // the comment above is about the template
	text = strings.NewReplacer(fields...).Replace(text)
	if _, rest, left := strings.Cut(text, "${"); left {
		field, _, _ := strings.Cut(rest, "}")
		return fmt.Errorf("config/krew/aero.yaml has ${%s}, which no archive of this release is about", field)
	}
	if err := os.WriteFile(filepath.Join(o.out, "aero.krew.yaml"), []byte(text), 0o644); err != nil {
		return fmt.Errorf("writing the manifest for krew: %w", err)
	}
	return nil
}

// writePluginSBOM lists the modules of the plugin, those of all platforms in one document.
func (o options) writePluginSBOM(programs []compile.Program) error {
	var components []cdx.Component
	for _, p := range programs {
		parts, err := sbom.Modules(o.version, p.Info)
		if err != nil {
			return err
		}
		components = append(components, parts...)
	}
	subject := cdx.Component{BOMRef: plugin, Type: cdx.ComponentTypeApplication, Name: plugin, Version: o.version}
	identity := fmt.Sprintf("%s/cmd/%s@%s/%s", source, plugin, o.version, o.revision)
	document, err := sbom.New(subject, identity, o.created, components)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.out, plugin+".cdx.json"), document, 0o644); err != nil {
		return fmt.Errorf("writing the SBOM of the plugin: %w", err)
	}
	return nil
}
