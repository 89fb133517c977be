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
	"github.com/aero-operator/aero/controllers/internal/reference"
)

// A project is deleted after all that is in it: nothing in a project that Aiven no longer knows can be proven gone.

// projectIndex is the field index over the projects that objects manage something in.
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

// managedProjects are the projects that the deletion of an object needs. One without our finalizer manages nothing, and one
// that leaves its resource at Aiven makes no call.
func (k Kind) managedProjects(obj client.Object) []string {
	if wanted, _ := policy.DeletionOf(obj); !ownership.HasFinalizer(obj) || policy.ObservesOnly(obj) || wanted == policy.Orphan {
		return nil
	}
	return k.projectsOf(obj)
}

// emptied handles the events of what may live in projects for the controller of projects: it enqueues a project that
// nothing is managed in any more.
func (r *Registry) emptied(projects, content Kind) handler.EventHandler {
	left := func(ctx context.Context, former []string, queue enqueue.Queue) {
		for _, project := range former {
			waiting := projects.Lister.Requests(ctx, client.MatchingFields{ownership.Index: project})
			if len(waiting) == 0 {
				continue
			}
			if names, err := r.managedIn(ctx, project, client.Limit(1)); err != nil || len(names) > 0 {
				continue // the end of the last one counts
			}
			for _, request := range waiting {
				queue.Add(request)
			}
		}
	}
	return handler.Funcs{
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, queue enqueue.Queue) {
			if len(content.managedProjects(e.ObjectNew)) == 0 {
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

// managedIn names objects that manage something in a project, sorted; a few of each kind.
func (r *Registry) managedIn(ctx context.Context, project string, options ...client.ListOption) ([]string, error) {
	var names []string
	for _, kind := range r.kinds {
		found, err := kind.Lister.List(ctx, append(options, client.MatchingFields{projectIndex: project})...)
		if err != nil {
			return nil, fmt.Errorf("listing what is in project %s: %w", project, err)
		}
		of := make([]string, 0, len(found))
		for _, obj := range found {
			of = append(of, kind.Lister.Kind.Kind+" "+client.ObjectKeyFromObject(obj).String())
		}
		slices.Sort(of)
		names = append(names, of[:min(len(of), namedContent)]...)
	}
	return names, nil
}

// Guards are what may hold back the deletion of the objects of one kind.
type Guards struct {
	References reference.Guards // those of other objects
	inside     func(ctx context.Context, target client.Object) ([]string, error)
}

// Referrers names the objects that have to be deleted before a target.
func (g Guards) Referrers(ctx context.Context, target client.Object) ([]string, error) {
	names, err := g.References.Referrers(ctx, target)
	if err != nil || g.inside == nil {
		return names, err
	}
	inside, err := g.inside(ctx, target)
	return append(names, inside...), err
}

// Guards are the references of other objects that hold back the deletion of this kind's, and what is in a project.
func (r *Registry) Guards(kind Kind) Guards {
	var guards Guards
	r.eachGuard(kind, func(referrer Kind, declaration reference.Declaration) {
		guards.References = append(guards.References, reference.Guard{Declaration: declaration, Lister: referrer.Lister})
	})
	if kind.Group() == ownership.ProjectGroup {
		guards.inside = func(ctx context.Context, target client.Object) ([]string, error) {
			return r.managedIn(ctx, kind.IdentityOf(target))
		}
	}
	return guards
}
