package connection

import (
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/managedfields"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// secretSchema is what field managers need of the schema of a Secret: its owner references are a list by UID. The types of all else follow
// from the values.
const secretSchema typed.YAMLObject = `types:
- name: secret
  map:
    elementType: {namedType: __untyped_deduced_}
    fields:
    - name: metadata
      type:
        map:
          elementType: {namedType: __untyped_deduced_}
          fields:
          - name: ownerReferences
            type:
              list:
                elementType: {namedType: __untyped_deduced_}
                elementRelationship: associative
                keys: [uid]
- name: __untyped_atomic_
  scalar: untyped
  list:
    elementType: {namedType: __untyped_atomic_}
    elementRelationship: atomic
  map:
    elementType: {namedType: __untyped_atomic_}
    elementRelationship: atomic
- name: __untyped_deduced_
  scalar: untyped
  list:
    elementType: {namedType: __untyped_atomic_}
    elementRelationship: atomic
  map:
    elementType: {namedType: __untyped_deduced_}
    elementRelationship: separable
`

// secretType is parsed once.
var secretType = sync.OnceValues(func() (typed.ParseableType, error) {
	parser, err := typed.NewParser(secretSchema)
	if err != nil {
		return typed.ParseableType{}, fmt.Errorf("parsing the schema of a Secret: %w", err)
	}
	return parser.Type("secret"), nil
})

// extracted are the fields of a Secret that a manager has applied. client-go's ExtractSecret returns the same: its schema of all types of
// Kubernetes takes a megabyte of memory for as long as the operator runs.
func extracted(live *corev1.Secret, manager string) (*applycorev1.SecretApplyConfiguration, error) {
	own := &applycorev1.SecretApplyConfiguration{}
	schema, err := secretType()
	if err == nil {
		err = managedfields.ExtractInto(live, schema, manager, own, "")
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the Secret
	}
	return own.WithAPIVersion("v1").WithKind("Secret").WithNamespace(live.Namespace).WithName(live.Name), nil
}
