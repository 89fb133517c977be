package watches

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/policy"
)

// A project is deleted after all that is in it: nothing in a project that Aiven no longer knows can be proven gone.

// projectIndex is the field index over the projects that objects manage something in: by namespace and project, and by the
// project alone for those whose status proves it.
const projectIndex = "aero.project"

// projectsOf are the projects that an object is in, or connects services of; none for what lives in an organization.
func (k Kind) projectsOf(obj client.Object) []string {
	list := k.Item(obj).List
	if list.Organization != "" {
		return nil
	}
	projects := nonempty(list.Project)
	for _, service := range k.Services(obj) {
		projects = append(projects, nonempty(service.Project)...)
	}
	slices.Sort(projects)
	return slices.Compact(projects)
}

// managedProjects are the projects that the deletion of an object needs. One without our finalizer owns nothing, and one
// that leaves its resource at Aiven makes no call.
func (k Kind) managedProjects(obj client.Object) []string {
	if wanted, _ := policy.DeletionOf(obj); !ownership.HasFinalizer(obj) || !ownership.Owns(obj) || policy.ObservesOnly(obj) || wanted == policy.Orphan {
		return nil
	}
	return k.projectsOf(obj)
}

// projectKeys are what an object has in the projectIndex. A finalizer may be written by users, so it counts in their namespace
// alone: a project of another one isn't held back by it.
func (k Kind) projectKeys(obj client.Object) []string {
	var keys []string
	for _, project := range k.managedProjects(obj) {
		keys = append(keys, inNamespace(obj.GetNamespace(), project))
		if hasResource(obj) {
			keys = append(keys, project)
		}
	}
	return keys
}

func inNamespace(namespace, project string) string { return namespace + "/" + project }

// emptied handles the events of what may live in projects for the controller of projects: it enqueues a project that
// nothing is managed in any more, as far as its objects or their statuses show.
func (r *Registry) emptied(projects, content Kind) handler.EventHandler {
	left := func(ctx context.Context, former []string, queue enqueue.Queue) {
		for _, project := range former {
			for _, request := range projects.Lister.Requests(ctx, client.MatchingFields{ownership.Index: project}) {
				if names, err := r.managedIn(ctx, project, request.Namespace, client.Limit(1)); err == nil && len(names) == 0 {
					queue.Add(request) // the end of the last one counts
				}
			}
		}
	}
	return handler.Funcs{
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, queue enqueue.Queue) {
			still := content.projectKeys(e.ObjectNew)
			counted := func(key string) bool { return !slices.Contains(still, key) }
			if slices.ContainsFunc(content.projectKeys(e.ObjectOld), counted) {
				left(ctx, content.managedProjects(e.ObjectOld), queue)
			}
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, queue enqueue.Queue) {
			left(ctx, content.projectsOf(e.Object), queue)
		},
	}
}

// namedContent is how many objects of a kind are named that a project waits for.
const namedContent = 3

// managedIn names the objects that manage something in a project, sorted; a few of each kind. Those of other namespaces than
// that of the project's object are counted.
func (r *Registry) managedIn(ctx context.Context, project, namespace string, options ...client.ListOption) ([]string, error) {
	var names []string
	elsewhere := 0
	for _, kind := range r.kinds {
		list := func(key string) ([]client.Object, error) {
			found, err := kind.Lister.List(ctx, append(options, client.MatchingFields{projectIndex: key})...)
			if err != nil {
				return nil, fmt.Errorf("listing what is in project %s: %w", project, err)
			}
			return found, nil
		}
		here, err := list(inNamespace(namespace, project))
		if err != nil {
			return nil, err
		}
		everywhere, err := list(project)
		if err != nil {
			return nil, err
		}
		of := make([]string, 0, len(here))
		for _, obj := range here {
			of = append(of, kind.Lister.Kind.Kind+" "+client.ObjectKeyFromObject(obj).String())
		}
		for _, obj := range everywhere {
			if obj.GetNamespace() != namespace {
				elsewhere++
			}
		}
		slices.Sort(of)
		names = append(names, of[:min(len(of), namedContent)]...)
	}
	switch {
	case elsewhere == 1:
		names = append(names, "an object of another namespace")
	case elsewhere > 1:
		names = append(names, fmt.Sprintf("%d objects of other namespaces", elsewhere))
	}
	return names, nil
}
