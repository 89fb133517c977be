package cli

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/aero-operator/aero/controllers/export"
)

// errNoCluster is returned where no cluster is configured.
var errNoCluster = errors.New("no cluster is configured in a kubeconfig")

// refusals are the manifests that the API server would refuse, each with its reason, which names the field. An error is what keeps the
// manifests from being checked, such as that there is no cluster: an export needs none.
func (p *plugin) refusals(ctx context.Context, manifests []export.Manifest) (refused []export.Note, err error) {
	served, err := p.served()
	if err != nil {
		return nil, err
	}
	for _, m := range manifests {
		if ctx.Err() != nil {
			return refused, ctx.Err()
		}
		what := m.Kind + " " + m.Name
		if !slices.ContainsFunc(served, func(kind metav1.APIResource) bool { return kind.Kind == m.Kind }) {
			refused = append(refused, export.Note{What: what, Text: "the API server doesn't have the kind: upgrade aero's CRDs"})
			continue
		}
		err := p.applicable(m)
		if err != nil && !isRefusal(err) {
			return refused, err
		}
		if err != nil {
			refused = append(refused, export.Note{What: what, Text: err.Error()})
		}
	}
	return refused, nil
}

// served are the kinds that the API server of the configured cluster has.
func (p *plugin) served() ([]metav1.APIResource, error) {
	config, err := p.flags.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	files, err := p.flags.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return nil, err
	}
	if len(files.Clusters) == 0 && config.Host == clientcmd.ClusterDefaults.Server { // client-go's guess
		return nil, errNoCluster
	}
	return p.kinds()
}

// applicable lets the API server apply a manifest without storing it.
func (p *plugin) applicable(m export.Manifest) error {
	namespace, _, err := p.flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return err
	}
	infos, err := resource.NewBuilder(p.flags).Unstructured().NamespaceParam(namespace).DefaultNamespace().
		Stream(bytes.NewReader(m.YAML), m.Kind+" "+m.Name).Flatten().Do().Infos()
	if err != nil {
		return err
	}
	for _, info := range infos {
		if _, err := dryRun(info, applyOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// isRefusal reports whether an error is about a manifest: a schema, a rule, a policy or a webhook refuses it. Others are about the cluster, or
// the permissions of the caller, who may be another one than the one who applies the manifests.
func isRefusal(err error) bool {
	if apierrors.IsForbidden(err) {
		return !strings.Contains(err.Error(), ` is forbidden: User "`) // as the API server words a missing permission
	}
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsRequestEntityTooLargeError(err)
}
