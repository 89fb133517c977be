package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	aero "github.com/aero-operator/aero/api/aero/v1alpha1"
	"github.com/aero-operator/aero/api/v1alpha1"
)

// endpointLength is how long the name of an endpoint may be.
const endpointLength = 36

// newScheme knows the kinds of Kubernetes and of aiven.io.
func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("registering the kinds of Kubernetes: %w", err)
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("registering the kinds of aiven.io: %w", err)
	}
	if err := aero.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("registering the group aero-operator.io: %w", err)
	}
	return scheme, nil
}

// place reads an example, and gives it a name of its own, and another service if one is named.
func (o *options) place(example, name, service string) (object, error) {
	text, err := os.ReadFile(filepath.Join(o.root, exampleFolder, example+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("reading the example: %w", err)
	}
	var kind runtime.TypeMeta
	if err := yaml.Unmarshal(text, &kind); err != nil {
		return nil, fmt.Errorf("reading the example %s: %w", example, err)
	}
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	empty, err := scheme.New(kind.GroupVersionKind())
	if err != nil {
		return nil, fmt.Errorf("reading the example %s: %w", example, err)
	}
	placed, ok := empty.(object)
	if !ok {
		return nil, fmt.Errorf("reading the example %s: it is a %T", example, empty)
	}
	if err := o.read(example, placed); err != nil {
		return nil, err
	}
	rename(placed, name, service)
	return placed, nil
}

// rename gives an object the name, and its Secret the same. What two objects of its service must not share follows the name.
func rename(o object, name, service string) {
	o.SetName(name)
	spec := reflect.ValueOf(o).Elem().FieldByName("Spec")
	if target := spec.FieldByName("ConnInfoSecretTarget"); target.IsValid() {
		target.FieldByName("Name").SetString(name)
	}
	if at := spec.FieldByName("ServiceName"); at.IsValid() {
		at.SetString(service)
	}
	switch o := o.(type) {
	case *v1alpha1.ConnectionPool:
		o.Spec.DatabaseName, o.Spec.Username = "defaultdb", "avnadmin"
	case *v1alpha1.KafkaACL:
		o.Spec.Username = name
	case *v1alpha1.KafkaNativeACL:
		o.Spec.ResourceName = name
	case *v1alpha1.KafkaQuota:
		o.Spec.User = name
	case *v1alpha1.KafkaSchema:
		o.Spec.SubjectName = name
	case *v1alpha1.KafkaSchemaRegistryACL:
		o.Spec.Username = name
	case *v1alpha1.ClickhouseRole:
		o.Spec.Role = name
	case *v1alpha1.ServiceIntegrationEndpoint:
		o.Spec.EndpointName = name[max(0, len(name)-endpointLength):]
	}
}
