// Package preview compares objects with Aiven before they are applied, as their controllers do, and says what the changes cost or
// interrupt. It is for kubectl aero: nothing of it is in the operator, and nothing is written anywhere.
//
//	preview.go    options, and the comparison of one object
//	result.go     what a comparison has found
//	siblings.go   other objects that a comparison depends on
//	published.go  credentials that Aiven doesn't return
package preview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/namespace"
	"github.com/aero-operator/aero/controllers/internal/oneshot"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/plan"
	"github.com/aero-operator/aero/controllers/internal/policy"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/kinds"
)

// Options are how objects are compared.
type Options struct {
	oneshot.Login

	// Cluster is read for what objects refer to. Its user is the one who applies them.
	Cluster *rest.Config
	// They are the operator's --adoption-policy, --recreate-policy, where empty is Never, and --change-policy, where empty is Auto.
	Adoption, Recreate, Change string
}

// Comparer compares objects. It reads what several have in common once.
type Comparer struct {
	flags   policy.Defaults
	client  *aiven.Client
	cluster client.Reader
	scheme  *runtime.Scheme
	kinds   map[reflect.Type]*kind
}

// kind is a kind with what its controllers share.
type kind struct {
	controllers.Registration
	memory                     sync.Map
	credentialsOnce, holdsData bool
}

// newKind reads the fields of a controllers.Kind[T] of any T.
func newKind(of controllers.Registration) *kind {
	is := func(field string) bool { return reflect.ValueOf(of).FieldByName(field).Bool() }
	return &kind{Registration: of, credentialsOnce: is("CredentialsOnce"), holdsData: is("HoldsData")}
}

// New returns an error if the options can't be right.
func New(o Options) (*Comparer, error) {
	switch o.Adoption {
	case policy.Never, policy.Adopt, policy.AdoptOrCreate:
	default:
		return nil, errors.New("--adoption-policy must be Never, Adopt or AdoptOrCreate, as the operator has it")
	}
	if o.Recreate != "" && o.Recreate != policy.Never && o.Recreate != policy.Always {
		return nil, errors.New("--recreate-policy must be Never or Always, as the operator has it")
	}
	if o.Change != "" && !slices.Contains(policy.Changes(), o.Change) {
		return nil, errors.New("--change-policy must be Auto, HoldDisruptive or HoldAll, as the operator has it")
	}
	found, err := o.Client()
	if err != nil {
		return nil, err
	}
	c := newComparer(o, found)
	c.cluster, err = client.New(o.Cluster, client.Options{Scheme: c.scheme})
	return c, err
}

func newComparer(o Options, client *aiven.Client) *Comparer {
	c := &Comparer{
		flags:  policy.Defaults{Adoption: o.Adoption, Recreate: o.Recreate, Change: o.Change},
		client: client, scheme: runtime.NewScheme(), kinds: map[reflect.Type]*kind{},
	}
	utilruntime.Must(corev1.AddToScheme(c.scheme))
	utilruntime.Must(v1alpha1.AddToScheme(c.scheme))
	for _, k := range kinds.All() {
		c.kinds[reflect.TypeOf(k.GetObject())] = newKind(k)
	}
	return c
}

// comparison is that of one object.
type comparison struct {
	*Comparer
	obj      controllers.Object
	kind     *kind
	defaults policy.Defaults
	env      controllers.Env
	seen     controllers.Observation
	facts    status.Facts
	unread   error // why it isn't known what is published
}

// Compare compares an object, as the API server would store it, with Aiven. The error is about what is no object of a kind.
func (c *Comparer) Compare(ctx context.Context, stored *unstructured.Unstructured) (Result, error) {
	made, err := c.scheme.New(stored.GroupVersionKind())
	if err != nil {
		return Result{}, fmt.Errorf("this version of kubectl aero doesn't know %s: %w", stored.GetKind(), err)
	}
	obj, is := made.(controllers.Object)
	if !is {
		return Result{}, fmt.Errorf("%s is no kind that aero manages", stored.GetKind())
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(stored.Object, obj); err != nil {
		return Result{}, fmt.Errorf("decoding %s %s: %w", stored.GetKind(), stored.GetName(), err)
	}
	return c.compare(ctx, obj), nil
}

func (c *Comparer) compare(ctx context.Context, obj controllers.Object) Result {
	p := &comparison{Comparer: c, obj: obj, kind: c.kinds[reflect.TypeOf(obj)]}
	r := Result{Kind: reflect.TypeOf(obj).Elem().Name(), Namespace: obj.GetNamespace(), Name: obj.GetName()}
	if !p.observe(ctx, &r) {
		return r
	}
	p.conclude(ctx, &r)
	return r
}

// observe reports whether it found all that the plan needs. Else the result says why.
func (p *comparison) observe(ctx context.Context, r *Result) bool {
	settings, err := namespace.Reader{Metadata: p.cluster, Live: p.cluster}.Of(ctx, p.obj.GetNamespace())
	if err != nil {
		return r.unknown(err.Error() + ". Its annotations decide, too")
	}
	if forbidden := settings.Forbidden(func() []string { return namespace.Projects(p.obj) }); forbidden != "" {
		return r.refuse(forbidden)
	}
	p.defaults = p.flags.In(settings.Annotations)
	p.env = controllers.Env{
		Client: p.client, Memory: &p.kind.memory, Siblings: p.siblings, MayLoseData: policy.MayLoseData(p.obj, p.defaults),
	}
	p.readPublished(ctx, r.Kind)
	p.seen, err = oneshot.Repeat(ctx, func(ctx context.Context) (controllers.Observation, error) {
		return p.kind.Observe(ctx, &p.env, reference.Resolver{Reader: p.cluster}, p.obj)
	})
	p.facts = status.FactsOf(p.obj, p.obj.GetCommonStatus())
	p.facts.Provenance, p.facts.Secrets = ownership.Of(p.obj), p.env.Refs.Secrets()
	p.facts.Secrets.Add(p.env.Published.Secrets(p.seen.Details)...)
	return p.usable(r, err)
}

// usable reports whether the observation counts.
func (p *comparison) usable(r *Result, err error) bool {
	for _, o := range p.env.Refs.Summaries() {
		if o.State != reference.Ready && (!o.CreateOnly || !p.seen.Remote.Exists) {
			return r.unknown(p.facts.Secrets.Scrub(o.Message))
		}
	}
	service := status.DecisiveService(p.seen.Services)
	switch {
	case err != nil:
		return r.failed(p.facts.Secrets.Of(err))
	case service != nil && !service.Exists:
		return r.end(Create, "Once service "+service.Name+" exists")
	case service != nil && !service.Usable:
		return r.unknown("service " + service.Name + " is " + service.State)
	case p.uncompared():
		return r.unknown(p.unread.Error() + ". Only it has what the credentials of the spec are compared with")
	}
	return true
}

// plan is what the controller would do, as changes are reviewed.
func (p *comparison) plan(review plan.Review) plan.Plan {
	before := p.obj.GetCommonStatus()
	return plan.Decide(plan.Input{
		Exists: p.seen.Remote.Exists, ObserveOnly: p.facts.ObserveOnly, Leave: p.facts.DriftMode(p.obj),
		Owned: p.facts.Provenance != nil, Free: p.seen.Free, Adoption: policy.AdoptionOf(p.obj, p.defaults), Lost: p.lost(),
		Diff: p.seen.Diff, Newer: p.seen.Newer, Held: p.seen.Held, WriteOnly: p.seen.WriteOnly, Wanted: p.seen.Wanted, WaitFor: p.seen.WaitFor,
		GenerationApplied: ownership.IsApplied(p.obj), ApplyRequested: ownership.RequestsApply(p.obj),
		RestApplied: status.RestApplied(p.obj, before), SourcesChanged: reference.Changed(p.env.Refs.Refs(), before.ResolvedRefs),
		Review: review,
	})
}

// lost reports whether what is missing isn't created again. That its service was created again since, which consents to the rest, isn't
// known here: who applies an object may not be allowed to list the services of all namespaces.
func (p *comparison) lost() bool {
	return ownership.Loss{
		Exists: p.seen.Remote.Exists, HoldsData: p.kind.holdsData, Recreates: policy.Recreates(p.obj, p.defaults),
		Kept: p.facts.DriftMode(p.obj) != "", Provenance: cmp.Or(p.facts.Provenance, ownership.Recorded(p.obj)),
	}.NeedsConsent(p.obj)
}
