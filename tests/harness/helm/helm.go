// Package helm does with a chart what the program helm does, with helm's own code: it renders, lints and installs.
package helm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/cli"
	"helm.sh/helm/v4/pkg/kube"
	release "helm.sh/helm/v4/pkg/release/v1"
)

const (
	// timeout bounds what helm waits for.
	timeout = time.Minute
	// oldest is the version of Kubernetes that charts are rendered for where there is no cluster to ask.
	oldest = "v1.30.0"
)

// Values are those that a user sets.
type Values = map[string]any

// Release is where a chart is installed, and as what.
type Release struct {
	Name, Namespace string
	// Kubeconfig is the file that leads to the cluster. Render needs none.
	Kubeconfig string
	// Wait waits until pods are ready, as `--wait` does: a control plane without nodes has none that run.
	Wait bool
}

// Load reads a chart from its folder.
func Load(folder string) (*chart.Chart, error) {
	loaded, err := loader.LoadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("loading a chart: %w", err)
	}
	return loaded, nil
}

// Lint is `helm lint --strict`: all that it complains about.
func Lint(folder string, values Values) error {
	lint := action.NewLint()
	lint.Strict, lint.Namespace = true, "default"
	return errors.Join(lint.Run([]string{folder}, values).Errors...)
}

// Render is `helm template`: the manifests in the order in which they would be installed, and the notes.
func (r Release) Render(ctx context.Context, c *chart.Chart, values Values) (manifests, notes string, err error) {
	install := r.newInstall(quiet())
	install.DryRunStrategy = action.DryRunClient
	version, err := common.ParseKubeVersion(oldest)
	if err != nil {
		return "", "", fmt.Errorf("reading the version of Kubernetes: %w", err)
	}
	install.KubeVersion = version
	return r.run(ctx, install, c, values)
}

// Install is `helm install`.
func (r Release) Install(ctx context.Context, c *chart.Chart, values Values) (notes string, err error) {
	configuration, err := r.configuration()
	if err != nil {
		return "", err
	}
	install := r.newInstall(configuration)
	install.CreateNamespace = true
	_, notes, err = r.run(ctx, install, c, values)
	return notes, err
}

// Upgrade is `helm upgrade`: what isn't in values is the chart's.
func (r Release) Upgrade(ctx context.Context, c *chart.Chart, values Values) error {
	configuration, err := r.configuration()
	if err != nil {
		return err
	}
	upgrade := action.NewUpgrade(configuration)
	upgrade.Namespace, upgrade.WaitStrategy, upgrade.Timeout = r.Namespace, r.strategy(), timeout
	if _, err := upgrade.RunWithContext(ctx, r.Name, c, values); err != nil {
		return fmt.Errorf("upgrading: %w", err)
	}
	return nil
}

// Uninstall is `helm uninstall`.
func (r Release) Uninstall() error {
	configuration, err := r.configuration()
	if err != nil {
		return err
	}
	uninstall := action.NewUninstall(configuration)
	uninstall.WaitStrategy, uninstall.Timeout = r.strategy(), timeout
	if _, err := uninstall.Run(r.Name); err != nil {
		return fmt.Errorf("uninstalling: %w", err)
	}
	return nil
}

func (r Release) newInstall(configuration *action.Configuration) *action.Install {
	install := action.NewInstall(configuration)
	install.ReleaseName, install.Namespace = r.Name, r.Namespace
	install.WaitStrategy, install.Timeout = r.strategy(), timeout
	return install
}

func (r Release) strategy() kube.WaitStrategy {
	if r.Wait {
		return kube.StatusWatcherStrategy
	}
	return kube.HookOnlyStrategy
}

func (r Release) run(ctx context.Context, install *action.Install, c *chart.Chart, values Values) (string, string, error) {
	installed, err := install.RunWithContext(ctx, c, values)
	if err != nil {
		return "", "", fmt.Errorf("installing: %w", err)
	}
	done, known := installed.(*release.Release)
	if !known {
		return "", "", fmt.Errorf("installing: helm returned a %T", installed)
	}
	return done.Manifest, strings.TrimSpace(done.Info.Notes), nil
}

func (r Release) configuration() (*action.Configuration, error) {
	settings := cli.New()
	settings.KubeConfig = r.Kubeconfig
	settings.SetNamespace(r.Namespace)
	configuration := quiet()
	if err := configuration.Init(settings.RESTClientGetter(), r.Namespace, "secret"); err != nil {
		return nil, fmt.Errorf("connecting helm to the cluster: %w", err)
	}
	return configuration, nil
}

// quiet is a configuration that logs nothing: what matters is in the errors.
func quiet() *action.Configuration {
	return action.NewConfiguration(action.ConfigurationSetLogger(slog.NewTextHandler(io.Discard, nil)))
}
