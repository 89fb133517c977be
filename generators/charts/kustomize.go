package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
)

// manifests is the folder of what the chart renders, seen from that of the repository.
const manifests = "config/manager"

// Who installs without Helm gets a release of this name in this namespace.
const (
	releaseName      = "aero"
	releaseNamespace = "aero-system"
)

// kustomize renders the chart in a folder with its default values. It returns a file for each template that renders to something, and the list of
// them.
func kustomize(chart string) (map[string]string, error) {
	loaded, err := loader.LoadDir(chart)
	if err != nil {
		return nil, fmt.Errorf("loading the chart: %w", err)
	}
	release := common.ReleaseOptions{Name: releaseName, Namespace: releaseNamespace, Revision: 1, IsInstall: true}
	values, err := util.ToRenderValues(loaded, map[string]any{}, release, common.DefaultCapabilities)
	if err != nil {
		return nil, fmt.Errorf("reading the values: %w", err)
	}
	// No label may name Helm as what manages an object.
	values["Release"].(map[string]any)["Service"] = "kustomize"
	rendered, err := engine.Render(loaded, values)
	if err != nil {
		return nil, fmt.Errorf("rendering the chart: %w", err)
	}
	files := map[string]string{}
	var names []string
	for template, text := range rendered {
		name := path.Base(template)
		if path.Ext(name) != ".yaml" || strings.TrimSpace(text) == "" {
			continue
		}
		names = append(names, name)
		files[manifests+"/"+name] = header + strings.TrimLeft(strings.ReplaceAll(text, header, ""), "\n")
	}
	slices.Sort(names)
	files[manifests+"/kustomization.yaml"] = resources(names)
	return files, nil
}
