package schemaregistry

import (
	"context"
	"fmt"
	"strings"

	avnschema "github.com/aiven/go-client-codegen/handler/kafkaschemaregistry"

	"github.com/aero-operator/aero/controllers/internal/aiven"
	"github.com/aero-operator/aero/controllers/internal/fault"
)

// Configure sets the level of the subject. Where the answer shows the level, it isn't read within the hour.
func (s Subject) Configure(ctx context.Context, levels Levels, level string) error {
	in := &avnschema.ServiceSchemaRegistrySubjectConfigPutIn{Compatibility: avnschema.CompatibilityType(level)}
	set, err := s.Client.API().ServiceSchemaRegistrySubjectConfigPut(ctx, s.Project, s.Service, s.Name, in)
	levels.record(Item(s.Project, s.Service, s.Name), level, confirmedLevel{level: string(set), set: true}) // none after an error, which may hide that it was set
	return err
}

// Register makes a schema a version of the subject, unless a version has it already, and returns the id of the schema.
func (s Subject) Register(ctx context.Context, schema Schema) (int, error) {
	in := &avnschema.ServiceSchemaRegistrySubjectVersionPostIn{Schema: schema.Text, SchemaType: avnschema.SchemaType(schema.Type)}
	if len(schema.References) > 0 {
		in.References = &schema.References
	}
	id, err := s.Client.API().ServiceSchemaRegistrySubjectVersionPost(ctx, s.Project, s.Service, s.Name, in)
	if !fault.Is(err, fault.Rejected) {
		return id, err
	}
	const remedy = "Make it compatible with the versions of the subject, or change spec.compatibilityLevel"
	return 0, fault.Fields{
		"incompatible schema,": {Path: "spec.schema", Remedy: remedy}, "reference": {Path: "spec.references"},
	}.Of(fault.AtField(fault.Field{Path: "spec.schema"}, err))
}

// notDeletedFirst is in the answer to a second step whose first one the registry doesn't show yet.
const notDeletedFirst = "was not deleted first"

// Delete deletes the subject in the two steps of the registry. After the first one no list has it, so none shows what is left
// to do, also after an answer that confirms nothing. It reports false if the registry has to be asked again: it may not show the first
// step yet, or not have made the second one. The error of a subject that doesn't exist is of class NotFound.
func (s Subject) Delete(ctx context.Context) (done bool, err error) {
	remove := func(query ...[2]string) error {
		err := s.Client.API().ServiceSchemaRegistrySubjectDelete(ctx, s.Project, s.Service, s.Name, query...)
		if err != nil {
			return fmt.Errorf("deleting subject: %w", err)
		}
		return nil
	}
	first := remove()
	if first != nil && !fault.Is(first, fault.NotFound) && !aiven.IsUnconfirmed(first) {
		return false, first
	}
	err = remove(avnschema.ServiceSchemaRegistrySubjectDeletePermanent(true))
	lags := fault.Is(err, fault.NotFound) && (!fault.Is(first, fault.NotFound) || strings.Contains(err.Error(), notDeletedFirst))
	if lags || aiven.IsUnconfirmed(err) {
		return false, nil
	}
	return err == nil, err
}
