package preview

import (
	"context"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/connection"
)

// readPublished reads the connection Secret as the user, for kinds whose credentials Aiven returns once: only the Secret
// has the present ones.
func (p *comparison) readPublished(ctx context.Context, kind string) {
	if !p.kind.credentialsOnce {
		return
	}
	target, _ := connection.TargetOf(p.obj, kind, p.defaults)
	publisher := connection.Publisher{Reader: p.cluster, FieldManager: controllers.FieldManager}
	p.env.Published, p.unread = publisher.Published(ctx, p.obj, v1alpha1.GroupVersion.WithKind(kind), target)
	if p.unread != nil {
		p.env.Published.Problem = p.unread // nothing is known: not that none are published
	}
}

// uncompared reports whether the credentials that the spec names are compared with nothing.
func (p *comparison) uncompared() bool {
	return p.unread != nil && p.seen.Remote.Exists && len(p.env.Refs.Refs()) > 0
}
