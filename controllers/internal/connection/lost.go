package connection

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/condition"
)

// Withheld is what Aiven doesn't return now.
type Withheld struct {
	Details   Info // empty ones
	Published Published
	Left      string // why the plan leaves what differs, as a reason of the condition Drifted; empty if it doesn't
}

// Lost returns why connection details that Aiven doesn't return now aren't published, and don't come by themselves; empty if they
// are, or may come. A Secret that was published is read live.
func (p Publisher) Lost(ctx context.Context, owner client.Object, target Target, w Withheld) (string, error) {
	switch once := len(w.Details.Keep) > 0; {
	case target.Disabled:
		return "", nil
	case once && w.Published.Lacks(w.Details):
		return unissued(w.Left), nil
	case once || !target.Published:
		return "", nil
	}
	_, err := p.read(ctx, Render(Owner{Namespace: owner.GetNamespace()}, target, Info{}))
	if apierrors.IsNotFound(err) {
		return fmt.Sprintf("Secret %s does not exist, and Aiven returns no connection details. Check that the token has the permission to "+
			"read secrets", target.Name), nil
	}
	return "", err
}

// unissued is why credentials that Aiven returns once aren't issued again.
func unissued(left string) string {
	const lost = "The credentials aren't in the Secret, and Aiven returns them only when they are set. They aren't reset "
	switch left {
	case condition.ReasonReportOnly:
		return fmt.Sprintf("%sbecause of the annotation %s or %s. To publish them, name a Secret with the present ones in spec.connInfoSecretSource "+
			"before you remove it, or else Aiven makes new ones", lost, annotation.Drift, annotation.Management)
	case condition.ReasonTakenOver:
		return lost + "before the spec of what was taken over changes. Edit the spec, or set the annotation " + annotation.Drift + "=Correct"
	default:
		return ""
	}
}
