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
func (p Publisher) DryRun(ctx context.Context, owner client.Object, gvk schema.GroupVersionKind, target Target, details Details) error {
	p.Client, p.RecordWrite = client.NewDryRunClient(p.Client), nil
	if _, err := p.publish(ctx, OwnerOf(owner, gvk), target, details.withPlaceholders()); err != nil {
		return fmt.Errorf("dry run: %w", err)
	}
	return nil
}

// withPlaceholders are details with a value for each that is Missing.
func (d Details) withPlaceholders() Details {
	fill := func(values map[string]string) map[string]string {
		filled := map[string]string{}
		for key, value := range values {
			filled[key] = redacted.ReplaceAllString(value, placeholder)
		}
		return filled
	}
	d.Prefixed, d.Legacy = fill(d.Prefixed), fill(d.Legacy)
	for _, key := range d.Keep {
		if _, given := d.Prefixed[key]; !given {
			d.Prefixed[key] = placeholder
		}
	}
	return d
}
