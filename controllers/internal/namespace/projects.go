package namespace

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/api/v1alpha1"
)

// Fields are the names of the fields, at any depth of a spec, that hold the name of a project at Aiven.
var Fields = []string{"project", "sourceProjectName", "destinationProjectName", "copyFromProject", "projectId", "project_to_fork_from"}

// freeForm are the names of the fields in which users choose the names.
var freeForm = []string{"tags", "connInfoSecretTarget"}

// Projects returns the projects at Aiven that the spec of an object names, sorted. An object that can't be read names one that no
// list has.
func Projects(obj client.Object) []string {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return []string{""}
	}
	spec, _ := content["spec"].(map[string]any)
	if _, free := obj.(*v1alpha1.KafkaConnector); free {
		delete(spec, "userConfig") // of the connector, in words that aren't Aiven's
	}
	found := map[string]bool{}
	collect(spec, found)
	return slices.Sorted(maps.Keys(found))
}

func collect(value any, found map[string]bool) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			collect(item, found)
		}
	case map[string]any:
		for name, field := range value {
			if slices.Contains(freeForm, name) {
				continue
			}
			if project, text := field.(string); text && project != "" && slices.Contains(Fields, name) {
				found[project] = true
			}
			collect(field, found)
		}
	}
}
