package watches

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/aero-operator/aero/controllers/internal/enqueue"
	"github.com/aero-operator/aero/controllers/internal/ownership"
)

// A project is deleted after the services and VPCs in it.

// projectIndex is the field index over the projects of services.
const projectIndex = "aero.project"

// projectsOf is the project that an object lives in, outside of services, or as one; none for all others.
func (k Kind) projectsOf(obj client.Object) []string {
	services := k.Services(obj)
	switch {
	case k.IsService:
		return nonempty(services[0].Project)
	case len(services) == 0:
		return nonempty(k.Item(obj).List.Project)
	default:
		return nil
	}
}

// emptied handles the events of what may live in projects for the controller of projects: it enqueues a project once
// something in it is gone, and the last of its services.
func (r *Registry) emptied(projects, content Kind) handler.EventHandler {
	return handler.Funcs{DeleteFunc: func(ctx context.Context, e event.DeleteEvent, queue enqueue.Queue) {
		for _, project := range content.projectsOf(e.Object) {
			if r.hasServices(ctx, project) {
				continue // the end of the last one counts
			}
			for _, request := range projects.Lister.Requests(ctx, client.MatchingFields{ownership.Index: project}) {
				queue.Add(request)
			}
		}
	}}
}

func (r *Registry) hasServices(ctx context.Context, project string) bool {
	for _, kind := range r.kinds {
		if kind.IsService && len(kind.Lister.Requests(ctx, client.MatchingFields{projectIndex: project})) > 0 {
			return true
		}
	}
	return false
}
