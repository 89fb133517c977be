package connectionsecret

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/controllers/internal/fault"
	"github.com/aero-operator/aero/controllers/internal/secrettemplate"
)

// TemplateError means that a template of the spec can't be used. What was published stays.
type TemplateError struct {
	// Key is the one in spec.data.
	Key string
	// Err names the line and the function. It holds no value.
	Err error
}

// Error names the key.
func (e *TemplateError) Error() string { return fmt.Sprintf("spec.data[%s]: %s", e.Key, e.Err) }

// Unwrap returns what is wrong with the template.
func (e *TemplateError) Unwrap() error { return e.Err }

// ContentsOf are the values for a spec, as ValuesOf has them, and the data of the Secret, as Render has it. Their errors are messages of
// conditions.
func ContentsOf(s Source, spec *aero.SecretContents, database string) (Values, map[string][]byte, error) {
	values, err := ValuesOf(s, spec, database)
	if err != nil {
		return Values{}, nil, err
	}
	data, err := Render(spec, values)
	if err != nil {
		return Values{}, nil, err
	}
	return values, data, nil
}

// Render returns the data of the Secret, without keystores. It is pure: the same input gives the same data.
//
// Errors: *TemplateError, of several templates the first by key; those of Values.Preset and CheckSize.
func Render(spec *aero.SecretContents, v Values) (map[string][]byte, error) {
	data := map[string][]byte{}
	for _, name := range spec.Presets {
		keys, err := v.Preset(name)
		if err != nil {
			return nil, err
		}
		for key, value := range keys {
			data[key] = []byte(value)
		}
	}
	fields := v.Data()
	for _, key := range slices.Sorted(maps.Keys(spec.Data)) {
		value, err := secrettemplate.Execute(string(spec.Data[key]), fields)
		if err != nil {
			return nil, &TemplateError{Key: key, Err: err}
		}
		data[key] = []byte(value)
		if err := CheckSize(data); err != nil {
			return nil, err // the values of all templates may be 32 MiB
		}
	}
	return data, CheckSize(data)
}

// CheckSize applies the limit of Kubernetes: the values together, keys not counted.
//
// Error: a fault.InvalidSpec.
func CheckSize(data map[string][]byte) error {
	size := 0
	for _, value := range data {
		size += len(value)
	}
	if size > corev1.MaxSecretSize {
		return fault.InvalidSpec("spec.data", fmt.Sprintf("the values have more than %d bytes together, which Kubernetes doesn't allow in a Secret. "+
			"Remove some, or have them in another object", corev1.MaxSecretSize))
	}
	return nil
}

// bindingType is what the type of a Secret begins with that follows the Service Binding specification.
const bindingType = "servicebinding.io/"

// TypeOf is the type that the Secret must have; empty for any.
func TypeOf(spec *aero.SecretContents, v Values) corev1.SecretType {
	switch {
	case spec.Target.Type != "":
		return corev1.SecretType(spec.Target.Type)
	case slices.Contains(spec.Presets, aero.PresetServiceBinding):
		return corev1.SecretType(bindingType + v.BindingType())
	default:
		return ""
	}
}
