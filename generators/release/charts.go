package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/chart/v2/util"
)

// chartNames are the folders of the charts, in the order in which they are installed.
var chartNames = []string{"aero-crds", "aero"}

// repositories are what the chart of a clone says of the image's default repository, by file, and what that of a release says.
var repositories = map[string][2]string{
	"values.yaml": {"  repository: aero\n", "  repository: " + registry + "/aero\n"},
	"README.md":   {"| `image.repository` | `aero` |", "| `image.repository` | `" + registry + "/aero` |"},
}

// packed is a chart of the release.
type packed struct {
	name, version string
	digest        string // of its manifest in a registry
}

// writeCharts packs the charts as helm package does, and writes each as an OCI layout besides, with the manifest that helm push makes.
func (o options) writeCharts(ctx context.Context) ([]packed, error) {
	var all []packed
	for _, name := range chartNames {
		loaded, err := o.loadChart(name)
		if err != nil {
			return nil, err
		}
		path, err := util.Save(loaded, o.out)
		if err != nil {
			return nil, fmt.Errorf("packing the chart %s: %w", name, err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading the chart %s: %w", name, err)
		}
		one := packed{name: name, version: loaded.Metadata.Version}
		if one.digest, err = o.writeArtifact(ctx, one, content); err != nil {
			return nil, fmt.Errorf("making an OCI artifact of the chart %s: %w", name, err)
		}
		all = append(all, one)
	}
	return all, nil
}

// loadChart reads a chart of the clone, and gives it the version of the release, its image, and the time of the commit.
func (o options) loadChart(name string) (*chart.Chart, error) {
	cloned, err := loader.LoadDir(filepath.Join(o.root, "charts", name))
	if err != nil {
		return nil, fmt.Errorf("loading the chart %s: %w", name, err)
	}
	var files []*archive.BufferedFile
	for _, file := range cloned.Raw {
		content := file.Data
		if change, ok := repositories[file.Name]; ok && name == "aero" {
			if bytes.Count(content, []byte(change[0])) != 1 {
				return nil, fmt.Errorf("%s of the chart %s doesn't have %q once: change `repositories` with it", file.Name, name, change[0])
			}
			content = bytes.ReplaceAll(content, []byte(change[0]), []byte(change[1]))
		}
		files = append(files, &archive.BufferedFile{Name: file.Name, ModTime: o.created, Data: content})
	}
	loaded, err := loader.LoadFiles(files)
	if err != nil {
		return nil, fmt.Errorf("loading the chart %s: %w", name, err)
	}
	loaded.Metadata.Version = strings.TrimPrefix(o.version, "v")
	loaded.Metadata.AppVersion = o.version
	return loaded, nil
}
