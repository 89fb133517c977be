package cli

import (
	"encoding/json"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/utils/ptr"
)

// applyOptions are how manifests are applied.
type applyOptions struct {
	serverSide   bool
	fieldManager string
}

// dryRun is the object that the API server would store if a manifest was applied as kubectl does it: with defaults, and checked by
// schemas and admission policies. An unknown field is refused, as kubectl apply has it: else the API server would drop it.
func dryRun(info *resource.Info, o applyOptions) (*unstructured.Unstructured, error) {
	if info.Name == "" {
		return nil, errors.New("metadata.name is needed")
	}
	helper := resource.NewHelper(info.Client, info.Mapping).DryRun(true).WithFieldValidation(metav1.FieldValidationStrict)
	stored, err := applyDry(helper, info, o)
	if err != nil {
		return nil, err
	}
	return stored.(*unstructured.Unstructured), nil
}

func applyDry(helper *resource.Helper, info *resource.Info, o applyOptions) (runtime.Object, error) {
	manifest := info.Object.(*unstructured.Unstructured).DeepCopy()
	if o.serverSide {
		wanted, err := manifest.MarshalJSON()
		if err != nil {
			return nil, err
		}
		options := &metav1.PatchOptions{Force: ptr.To(true), FieldManager: o.fieldManager}
		return helper.Patch(info.Namespace, info.Name, types.ApplyPatchType, wanted, options)
	}
	live, err := helper.Get(info.Namespace, info.Name)
	if apierrors.IsNotFound(err) {
		return helper.Create(info.Namespace, true, info.Object)
	}
	if err != nil {
		return nil, err
	}
	patch, err := applyPatch(manifest, live)
	if err != nil {
		return nil, err
	}
	return helper.Patch(info.Namespace, info.Name, types.MergePatchType, patch, nil)
}

// applyPatch is that of kubectl apply: what was applied before, and isn't in the manifest any more, is removed. As there, the manifest
// becomes what was applied before, which keeps its annotations from being removed as a whole.
func applyPatch(manifest *unstructured.Unstructured, live runtime.Object) ([]byte, error) {
	text, err := manifest.MarshalJSON()
	if err != nil {
		return nil, err
	}
	annotations := manifest.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[corev1.LastAppliedConfigAnnotation] = string(text)
	manifest.SetAnnotations(annotations)
	wanted, err := manifest.MarshalJSON()
	if err != nil {
		return nil, err
	}
	found, err := json.Marshal(live)
	if err != nil {
		return nil, err
	}
	var applied []byte
	if before, was := live.(*unstructured.Unstructured).GetAnnotations()[corev1.LastAppliedConfigAnnotation]; was {
		applied = []byte(before)
	}
	return jsonmergepatch.CreateThreeWayJSONMergePatch(applied, wanted, found)
}
