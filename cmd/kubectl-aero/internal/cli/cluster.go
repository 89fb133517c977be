package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"

	"github.com/aero-operator/aero/controllers/view"
)

// errNoKinds is returned by an API server without the CRDs.
var errNoKinds = errors.New("the API server has no kinds of aiven.io: install aero's CRDs (docs/user/install.md), or choose another --context")

// errNothing is returned where kinds or labels match no object.
var errNothing = errors.New("no matching objects found")

const (
	// pageSize bounds an answer to a list, as kubectl does.
	pageSize = 500
	// listsAtOnce bounds the requests that one command makes at the same time.
	listsAtOnce = 10
)

// selection is which objects a command is about.
type selection struct {
	args     []string
	selector string
	every    bool // all of the kinds in args
	allNS    bool
}

// named reports whether objects are named, and not only their kinds.
func (s selection) named() bool { return len(s.args) > 1 || strings.Contains(s.args[0], "/") }

// find reads the objects that a command line names, in the forms that kubectl takes.
func (p *plugin) find(sel selection) ([]*resource.Info, error) {
	infos, unread, err := p.findAll(sel)
	if err == nil && len(unread) > 0 {
		err = unread[0]
	}
	if err != nil {
		return nil, err
	}
	return infos, nil
}

// findAll is find for a command that does what it can: where no object is named, unread is about the kinds that couldn't be listed.
func (p *plugin) findAll(sel selection) (infos []*resource.Info, unread []error, err error) {
	namespace, _, err := p.flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, nil, err
	}
	if _, err := p.kinds(); err != nil {
		return nil, nil, err // clearer than that a kind is unknown
	}
	args, err := p.ofGroups(sel.args)
	if err != nil {
		return nil, nil, err
	}
	infos, err = resource.NewBuilder(p.flags).Unstructured().ContinueOnError().
		NamespaceParam(namespace).DefaultNamespace().AllNamespaces(sel.allNS).
		LabelSelectorParam(sel.selector).ResourceTypeOrNameArgs(sel.every, args...).
		RequestChunksOf(pageSize).Flatten().Do().Infos()
	switch {
	case err != nil && (len(infos) == 0 || sel.named()):
		return nil, nil, err
	case err != nil:
		unread = []error{err}
	case len(infos) == 0:
		return nil, nil, errNothing
	}
	for _, info := range infos {
		if !slices.Contains(view.Groups, info.Mapping.GroupVersionKind.GroupVersion()) {
			return nil, nil, fmt.Errorf("%s is no object of %s or %s", info.ObjectName(), view.Groups[0].Group, view.Groups[1].Group)
		}
	}
	return infos, unread, nil
}

// one reads the object that a command line names, of which there must be one.
func (p *plugin) one(args []string) (*view.Object, error) {
	info, err := p.oneInfo(args)
	if err != nil {
		return nil, err
	}
	return viewed(info.Object)
}

// oneInfo is one, for a command that writes the object.
func (p *plugin) oneInfo(args []string) (*resource.Info, error) {
	infos, err := p.find(selection{args: args})
	if err != nil {
		return nil, err
	}
	if len(infos) != 1 {
		return nil, fmt.Errorf("%d objects are named: name one", len(infos))
	}
	return infos[0], nil
}

// viewed is what a command reads of an object that was found.
func viewed(found runtime.Object) (*view.Object, error) {
	return view.Of(found.(*unstructured.Unstructured))
}

// ofGroups adds the group to kinds that the API groups have, since other groups may have one with the same name, such as Project.
func (p *plugin) ofGroups(args []string) ([]string, error) {
	mapper, err := p.flags.ToRESTMapper()
	if err != nil {
		return nil, err
	}
	args = slices.Clone(args)
	for i, arg := range args {
		kind, name, pair := strings.Cut(arg, "/")
		if i > 0 && !pair {
			break // names
		}
		kinds := strings.Split(kind, ",")
		for j, kind := range kinds {
			if kinds[j], err = inGroup(mapper, kind); err != nil {
				return nil, err
			}
		}
		args[i] = strings.Join(kinds, ",")
		if pair {
			args[i] += "/" + name
		}
	}
	return args, nil
}

// inGroup is a kind with the first of the API groups that has it; as it is where none has.
func inGroup(mapper meta.RESTMapper, kind string) (string, error) {
	for _, version := range view.Groups {
		found, err := mapper.ResourceFor(schema.GroupVersionResource{Group: version.Group, Resource: kind})
		if err == nil {
			return found.GroupResource().String(), nil
		}
		if !meta.IsNoMatchError(err) {
			return "", err
		}
	}
	return kind, nil
}

// snapshot is what the caller may read of the API groups.
type snapshot struct {
	objects []*view.Object
	// hidden are the kinds that the caller may not list, in the plural.
	hidden []string
}

// readAll lists all kinds in a namespace, or in all.
func (p *plugin) readAll(ctx context.Context, namespace string) (*snapshot, error) {
	kinds, err := p.kinds()
	if err != nil {
		return nil, err
	}
	client, err := p.client()
	if err != nil {
		return nil, err
	}
	lists, forbidden := make([][]*view.Object, len(kinds)), make([]bool, len(kinds))
	ctx, cancel := context.WithCancelCause(ctx) // by the first error, which ends the others
	defer cancel(nil)
	turns := make(chan struct{}, listsAtOnce)
	var group sync.WaitGroup
	for i, kind := range kinds {
		turns <- struct{}{}
		group.Go(func() {
			defer func() { <-turns }()
			var err error
			lists[i], err = list(ctx, client.Resource(schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: kind.Name}).Namespace(namespace))
			forbidden[i] = apierrors.IsForbidden(err)
			if err != nil && !forbidden[i] {
				cancel(err)
			}
		})
	}
	group.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	s := &snapshot{objects: slices.Concat(lists...)}
	for i, kind := range kinds {
		if forbidden[i] {
			s.hidden = append(s.hidden, kind.Name)
		}
	}
	return s, nil
}

// list reads all pages of a list.
func list(ctx context.Context, client dynamic.ResourceInterface) ([]*view.Object, error) {
	var all []*view.Object
	options := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := client.List(ctx, options)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			o, err := view.Of(&page.Items[i])
			if err != nil {
				return nil, err
			}
			all = append(all, o)
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return all, nil
		}
	}
}

// kinds are those of the API groups, as the API server has them. It may be without the second group: those CRDs came later.
func (p *plugin) kinds() (all []metav1.APIResource, err error) {
	discovery, err := p.flags.ToDiscoveryClient()
	if err != nil {
		return nil, err
	}
	for i, version := range view.Groups {
		served, err := discovery.ServerResourcesForGroupVersion(version.String())
		if err != nil && !discovery.Fresh() {
			discovery.Invalidate() // what is on disk may be from before the CRDs
			served, err = discovery.ServerResourcesForGroupVersion(version.String())
		}
		absent := apierrors.IsNotFound(err) || errors.Is(err, memory.ErrCacheNotFound)
		switch {
		case absent && i == 0:
			return nil, errNoKinds
		case absent:
			continue
		case err != nil:
			return nil, err
		}
		for _, kind := range served.APIResources {
			if !strings.Contains(kind.Name, "/") { // no subresource
				kind.Group, kind.Version = version.Group, version.Version
				all = append(all, kind)
			}
		}
	}
	return all, nil
}

func (p *plugin) client() (dynamic.Interface, error) {
	config, err := p.flags.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	return dynamic.NewForConfig(config)
}
