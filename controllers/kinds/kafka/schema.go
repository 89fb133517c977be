package kafka

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/aero-operator/aero/api/v1alpha1"
	"github.com/aero-operator/aero/controllers"
	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/annotation"
	"github.com/aero-operator/aero/controllers/internal/deletion"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/ownership"
	"github.com/aero-operator/aero/controllers/internal/reference"
	"github.com/aero-operator/aero/controllers/internal/schemaregistry"
	"github.com/aero-operator/aero/controllers/internal/status"
	"github.com/aero-operator/aero/controllers/resource"
)

// +kubebuilder:rbac:groups=aiven.io,resources=kafkaschemas,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=aiven.io,resources=kafkaschemas/status,verbs=patch

// Schema is a schema in the registry of a Kafka service. It is in sync if any version of its subject has it: producers may
// have registered newer ones.
var Schema = resource.Definition[*v1alpha1.KafkaSchema, registration]{
	Object: &v1alpha1.KafkaSchema{},
	Place:  resource.InService(serviceType).Awaiting(schemaregistry.Awaited),
	Identity: func(obj *v1alpha1.KafkaSchema) controllers.Identity {
		return controllers.Identity{Name: obj.Spec.Project + "/" + obj.Spec.ServiceName + "/" + obj.Spec.SubjectName}
	},
	Named:      func(obj *v1alpha1.KafkaSchema) (string, string) { return "spec.subjectName", obj.Spec.SubjectName },
	Item:       schemaItem,
	ReadsItems: subjectsRead,
	References: []reference.Declaration{schemaReference},
	Find:       findSchema,
	State:      schemaState,
	Diff:       diffSchema,
	Create: func(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaSchema) (*registration, error) {
		return writeSchema(ctx, s, obj, &registration{}, nil)
	},
	Update: writeSchema,
	Delete: deleteSchema,
}.Kind()

// registration is what was found of a subject.
type registration struct {
	version *schemaregistry.Version // that has the schema of the spec, else one to compare it with; nil without versions
	diff    []schemaregistry.Difference
	level   string // of the subject, if the spec sets one
	waitFor string // why nothing may be registered yet
}

const levelPath = "spec.compatibilityLevel"

func schemaItem(obj *v1alpha1.KafkaSchema) aiven.Item {
	return schemaregistry.Item(obj.Spec.Project, obj.Spec.ServiceName, obj.Spec.SubjectName)
}

func subject(s resource.Scope, name string) schemaregistry.Subject {
	return schemaregistry.Subject{Client: s.Client, Project: s.Project, Service: s.ServiceName, Name: name}
}

func findSchema(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaSchema) (*registration, error) {
	at, item, wanted, known := subject(s, obj.Spec.SubjectName), schemaItem(obj), wantedSchema(s, obj), ptr.Deref(obj.Status.Version, 0)
	fit, other, err := at.Find(ctx, known, schemaregistry.MissesIn(s.Memory, item, wanted), func(v *schemaregistry.Version) bool {
		return len(wanted.Differences(v, isApplied(obj, v))) == 0
	})
	if err != nil {
		return nil, err
	}
	fit = cmp.Or(fit, wanted.Left(obj, other, ownership.IsApplied(obj) && ownership.IsTakenOver(ownership.Of(obj))))
	found := &registration{version: cmp.Or(fit, other)}
	if fit == nil {
		found.diff = wanted.Differences(other, isApplied(obj, other))
		found.waitFor, err = missingReference(ctx, s, obj)
	}
	pending := found.version == nil && s.Reads.ListWritePending(item.List, item.Key)
	if fit != nil || !pending && (other == nil || other.Version != known) {
		obj.Status.ID, obj.Status.Version = schemaregistry.IDs(fit) // else the schema of an earlier spec is in place
	}
	switch level := obj.Spec.CompatibilityLevel; {
	case err != nil || found.version == nil && found.waitFor == "":
		return nil, err
	case found.version != nil && level != "":
		found.level, err = at.Level(ctx, schemaregistry.LevelsIn(s.Memory, obj), level, status.ObservationRequested(obj, obj.GetCommonStatus()))
	}
	return found, err
}

func schemaState(found *registration) status.Remote {
	if found.version == nil {
		return status.Remote{Message: found.waitFor}
	}
	return status.Remote{Exists: true, Active: true}
}

func diffSchema(_ resource.Scope, obj *v1alpha1.KafkaSchema, found *registration) controllers.Diff {
	var diff controllers.Diff
	for _, d := range found.diff {
		diff.Add("spec."+d.Field, d.Wanted, d.Found)
	}
	if wanted := obj.Spec.CompatibilityLevel; wanted != "" && wanted != found.level {
		diff.Add(levelPath, wanted, found.level)
	}
	return diff
}

// isApplied reports whether the registry gave this version for this generation, perhaps in other words. No id is used twice.
func isApplied(obj *v1alpha1.KafkaSchema, v *schemaregistry.Version) bool {
	return v != nil && annotation.IsProcessed(obj) && !slices.ContainsFunc(obj.Status.Drift, func(d v1alpha1.DriftEntry) bool { return d.Path == "spec.schema" }) &&
		v.Id == ptr.Deref(obj.Status.ID, 0) && v.Version == ptr.Deref(obj.Status.Version, 0)
}

// writeSchema sets the level first, which may be what lets the registry accept the schema. Without a diff both are sent. The
// answer has the id of the schema only, and the version that has it is read.
func writeSchema(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaSchema, found *registration, diff controllers.Diff) (*registration, error) {
	if found.waitFor != "" {
		return nil, fault.NotYet(found.waitFor)
	}
	at, level, id := subject(s, obj.Spec.SubjectName), obj.Spec.CompatibilityLevel, 0
	var calls fault.Sequence
	if level != "" && (len(diff) == 0 || diff.Has(levelPath)) {
		calls.Then("setting compatibility level", func() error { return at.Configure(ctx, schemaregistry.LevelsIn(s.Memory, obj), level) })
	}
	if diff.Has(levelPath) && len(diff) == 1 {
		return nil, calls.Err()
	}
	calls.Then("registering schema", func() (err error) {
		id, err = at.Register(ctx, wantedSchema(s, obj))
		return err
	})
	if err := calls.Err(); err != nil {
		return nil, err
	}
	registered := at.Registered(ctx, id, found.version)
	if registered == nil {
		return nil, nil // the next reconcile reads it
	}
	obj.Status.ID, obj.Status.Version = schemaregistry.IDs(registered)
	return &registration{version: registered, level: level}, nil
}

// deleteSchema waits for a registry that is off: it keeps its subjects in a topic, and has them again when it is on.
func deleteSchema(ctx context.Context, s resource.Scope, obj *v1alpha1.KafkaSchema, _ *registration) error {
	service, err := holder(ctx, s)
	switch {
	case err != nil:
		return fmt.Errorf("reading service: %w", err)
	case service == nil:
		return nil // the subject went with it
	case service.State == aiven.StatePoweroff:
		return deletion.NotUsable(s.Project+"/"+s.ServiceName, service.State)
	case schemaregistry.IsOff(service):
		return deletion.SwitchedOff(schemaregistry.SwitchOn(s.Project, s.ServiceName))
	}
	schemaregistry.Forget(s.Memory, schemaItem(obj))
	done, err := subject(s, obj.Spec.SubjectName).Delete(ctx)
	if err == nil && !done {
		return deletion.ErrPending
	}
	return err
}
