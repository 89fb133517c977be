package connection

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/aero-operator/aero/controllers/internal/fault"
)

// checkType returns an invalid spec if a Secret that exists has another type than the target wants. It can't be changed.
func checkType(live *corev1.Secret, target Target) error {
	if target.Type == "" || live.Type == target.Type {
		return nil
	}
	return fault.InvalidSpec(target.path().Child("type").String(), fmt.Sprintf("Secret %s has the type %s, which can't be changed, and not %s. "+
		"Delete the Secret, or create another object with another %s", client.ObjectKeyFromObject(live), live.Type, target.Type, target.path().Child("name")))
}

// typeNeeds is what the API server wants of the data of Secrets, by their type.
var typeNeeds = map[corev1.SecretType]string{
	corev1.SecretTypeTLS:              "the keys tls.crt and tls.key",
	corev1.SecretTypeDockerConfigJson: "the key .dockerconfigjson, with JSON in it",
	corev1.SecretTypeDockercfg:        "the key .dockercfg, with JSON in it",
	corev1.SecretTypeBasicAuth:        "the key username or password",
	corev1.SecretTypeSSHAuth:          "the key ssh-privatekey, with a value",
}

// explained is an error of PublishData. Where the API server refuses the Secret, its answer may quote a part of a value, so nothing of
// it is in the invalid spec that is returned instead. All else but the data was validated before, so it's the type that wants others.
func explained(err error, target Target) error {
	if !apierrors.IsInvalid(err) {
		return err
	}
	needs, known := typeNeeds[target.Type]
	if !known {
		needs = "other keys or values"
	}
	return fault.InvalidSpec(target.path().Child("type").String(), fmt.Sprintf("the API server refuses the data for the type %s, which needs %s. "+
		"Correct spec.data, or create another object with another type", cmp.Or(target.Type, "of the Secret"), needs))
}
