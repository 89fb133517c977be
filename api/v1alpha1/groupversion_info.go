package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the API group and version of every kind in this package.
var GroupVersion = schema.GroupVersion{Group: "aiven.io", Version: "v1alpha1"}

var schemeBuilder = runtime.NewSchemeBuilder()

// AddToScheme registers every kind of this package with a scheme.
func AddToScheme(s *runtime.Scheme) error {
	return schemeBuilder.AddToScheme(s)
}

// register is called by each kind's file, so that adding a kind stays adding a file.
func register(objects ...runtime.Object) {
	schemeBuilder.Register(func(s *runtime.Scheme) error {
		s.AddKnownTypes(GroupVersion, objects...)
		metav1.AddToGroupVersion(s, GroupVersion)
		return nil
	})
}
