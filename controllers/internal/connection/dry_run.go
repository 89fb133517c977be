package connection

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// placeholder is longer than the passwords and tokens that Aiven makes.
var placeholder = strings.Repeat("x", 64)

// DryRun asks the API server whether details could be published whose values of Keep are Missing, without writing anything:
// permissions, quotas, admission policies and the size. It is for the moment before Aiven is asked for a value that it returns
// only once, after Published has shown no problem.
func (p Publisher) DryRun(ctx context.Context, owner client.Object, gvk schema.GroupVersionKind, target Target, details Info) error {
	p.Client, p.RecordWrite = client.NewDryRunClient(p.Client), nil
	if _, err := p.publish(ctx, OwnerOf(owner, gvk), target, details.withPlaceholders()); err != nil {
		return fmt.Errorf("dry run: %w", err)
	}
	return nil
}

// withPlaceholders is an Info with a value for each that is Missing.
func (i Info) withPlaceholders() Info {
	fill := func(layout map[string]Value) map[string]Value {
		filled := map[string]Value{}
		for key, valueOf := range layout {
			filled[key] = func(i Info) string { return redacted.ReplaceAllString(valueOf(i), placeholder) }
		}
		return filled
	}
	given := i.Prefixed()
	i.Layout.Prefixed, i.Layout.Legacy = fill(i.Layout.Prefixed), fill(i.Layout.Legacy)
	for _, key := range i.Keep {
		if _, ok := given[key]; !ok {
			i.Layout.Prefixed[key] = func(Info) string { return placeholder }
		}
	}
	return i
}
